package calendar

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// field is one of the five.
type field struct {
	name         string
	first, last  int      // values
	names        []string // of the values from first on
	alsoAccepted int      // a value beyond the last
}

var fields = [5]field{
	{name: "minute", last: 59},
	{name: "hour", last: 23},
	{name: "day of month", first: 1, last: 31},
	{name: "month", first: 1, last: 12, names: strings.Fields("JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC")},
	{name: "day of week", last: 6, names: strings.Fields("SUN MON TUE WED THU FRI SAT"), alsoAccepted: 7},
}

// parse reads a list.
func (f field) parse(text string) (values set, err error) {
	for part := range strings.SplitSeq(text, ",") {
		some, err := f.part(part)
		if err != nil {
			return 0, fmt.Errorf("%s %q: %w", f.name, shorten(text), err)
		}
		values |= some
	}
	return values, nil
}

// part reads *, a value or a range, and what step is made over it.
func (f field) part(text string) (values set, err error) {
	if text == "" {
		return 0, errors.New("a value is missing")
	}
	span, by, stepped := strings.Cut(text, "/")
	first, last, err := f.span(span, stepped)
	if err != nil {
		return 0, err
	}
	step := 1
	if stepped {
		if step, err = f.step(by); err != nil {
			return 0, err
		}
	}
	for value := first; value <= last; value += step {
		values |= 1 << value
	}
	return values, nil
}

// span reads *, a value or a range; a step over one value goes on to the last.
func (f field) span(text string, stepped bool) (first, last int, err error) {
	if text == "*" {
		return f.first, f.last, nil
	}
	from, to, isRange := strings.Cut(text, "-")
	if first, err = f.value(from); err != nil {
		return 0, 0, err
	}
	switch {
	case isRange:
		last, err = f.value(to)
	case stepped:
		last = max(first, f.last)
	default:
		last = first
	}
	if err == nil && last < first {
		err = fmt.Errorf("the range %s runs backwards; two ranges with a comma can say it", text)
	}
	return first, last, err
}

// value reads a number or a name.
func (f field) value(text string) (int, error) {
	if n := slices.Index(f.names, strings.ToUpper(text)); n >= 0 {
		return f.first + n, nil
	}
	n, err := number(text)
	switch {
	case err != nil && strings.ContainsAny(text, "?LW#"):
		return 0, errors.New("?, L, W and # are not possible")
	case err != nil && f.names != nil:
		return 0, fmt.Errorf("%q is neither a number nor one of %s", shorten(text), strings.Join(f.names, ", "))
	case err != nil:
		return 0, fmt.Errorf("%q is not a number", shorten(text))
	case n < f.first || n > max(f.last, f.alsoAccepted):
		return 0, fmt.Errorf("%s is not within %d to %d", shorten(text), f.first, max(f.last, f.alsoAccepted))
	}
	return n, nil
}

func (f field) step(text string) (int, error) {
	n, err := number(text)
	if most := f.last - f.first + 1; err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("a step is 1 to %d, not %q", most, shorten(text))
	}
	return n, nil
}

// number reads digits, and nothing else.
func number(text string) (int, error) {
	if strings.Trim(text, "0123456789") != "" {
		return 0, strconv.ErrSyntax
	}
	return strconv.Atoi(text)
}

// shorten keeps hostile text out of messages: the first 40 bytes are enough to recognise it.
func shorten(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "…"
	}
	return s
}
