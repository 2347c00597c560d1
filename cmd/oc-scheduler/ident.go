package main

import (
	"reflect"

	"github.com/alecthomas/kong"

	"oc-scheduler/store/id"
)

// decodeIdent reads an id. One that breaks the rule never leaves: as part of a path it could lead elsewhere,
// and one that is empty, as a variable in a script may be, asks for all instead of one.
func decodeIdent(ctx *kong.DecodeContext, target reflect.Value) error {
	text, err := ctx.Scan.PopValue("id")
	if err != nil {
		return err
	}
	target.SetString(text.String())
	return id.Check(text.String())
}
