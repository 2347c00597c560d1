package planner

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/fault"
)

// Quantity is an amount of one dimension.
type Quantity struct {
	Dimension string // flattened: cpu_cores.x86_64
	Amount    Amount
}

// ReadQuantities reads a JSON object of amounts, flat or one level deep, from d and returns them
// sorted by dimension, zeros included. Faults go to faults under path. The returned error is a
// syntax error of the JSON text alone; after it d cannot be read any further.
func ReadQuantities(d *jsontext.Decoder, path string, round Rounding, faults *fault.List) ([]Quantity, error) {
	r := quantityReader{d: d, round: round, faults: faults}
	if err := r.object(path, "", true); err != nil {
		return nil, err
	}
	slices.SortFunc(r.list, func(a, b Quantity) int { return cmp.Compare(a.Dimension, b.Dimension) })
	for i := 1; i < len(r.list); i++ {
		if r.list[i].Dimension == r.list[i-1].Dimension {
			faults.Add(path, "dimension %q is named twice", r.list[i].Dimension)
		}
	}
	return r.list, nil
}

type quantityReader struct {
	d      *jsontext.Decoder
	round  Rounding
	faults *fault.List
	list   []Quantity
}

// object reads one level; prefix is the name of the outer level with its dot.
func (r *quantityReader) object(path, prefix string, nested bool) error {
	if kind := r.d.PeekKind(); kind != '{' {
		r.faults.Add(path, "must be an object of amounts, not %s", kindName(kind))
		return r.d.SkipValue()
	}
	if _, err := r.d.ReadToken(); err != nil {
		return err
	}
	for r.d.PeekKind() != '}' {
		name, err := r.d.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		if err := r.value(fault.Member(path, key), prefix+key, nested); err != nil {
			return err
		}
	}
	_, err := r.d.ReadToken()
	return err
}

func (r *quantityReader) value(path, dimension string, nested bool) error {
	switch kind := r.d.PeekKind(); {
	case kind == '0':
		number, err := r.d.ReadValue()
		if err != nil {
			return err
		}
		amount, err := ParseAmount(string(number), r.round)
		if err != nil {
			r.faults.Add(path, "%v: %s", err, shorten(string(number)))
			return nil
		}
		if dimension == "" {
			r.faults.Add(path, "a dimension needs a name")
			return nil
		}
		r.list = append(r.list, Quantity{intern(dimension), amount})
		return nil
	case kind == '{' && nested:
		return r.object(path, dimension+".", false)
	default:
		r.faults.Add(path, "must be a number%s, not %s", map[bool]string{true: " or an object of numbers"}[nested], kindName(kind))
		return r.d.SkipValue()
	}
}
