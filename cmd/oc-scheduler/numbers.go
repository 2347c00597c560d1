package main

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/alecthomas/kong"

	"oc-scheduler/store/timetext"
)

// asWritten has flags, and their twins in the environment, take numbers and durations as they are written:
// kong reads 010 as 8, and 1_0 as 10.
func asWritten() kong.Option {
	return kong.OptionFunc(func(k *kong.Kong) error {
		return errors.Join(
			kong.KindMapper(reflect.Int, flagValue("a whole number", strconv.Atoi)).Apply(k),
			kong.TypeMapper(reflect.TypeFor[time.Duration](), flagValue("a duration such as 1h30m", timetext.Duration)).Apply(k),
		)
	})
}

// flagValue maps what a flag is given to what parse makes of it, if that is written the plain way.
func flagValue[T any](want string, parse func(string) (T, error)) kong.Mapper {
	return kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		var text string
		if err := ctx.Scan.PopValueInto(want, &text); err != nil {
			return err
		}
		value, err := parse(text)
		if err != nil || text[0] == '+' || len(text) > 1 && text[0] == '0' && text[1]-'0' <= 9 {
			return fmt.Errorf("expected %s but got %q", want, text)
		}
		target.Set(reflect.ValueOf(value).Convert(target.Type()))
		return nil
	})
}
