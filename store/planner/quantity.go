package planner

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/walkjson"
)

// MaxName is the longest name of a dimension that is accepted, flattened, in bytes.
const MaxName = 256

// Quantity is an amount of one dimension.
type Quantity struct {
	Dimension string // flattened: cpu_cores.x86_64
	Amount    Amount
}

func (q Quantity) positive() bool { return q.Amount > 0 }

// ReadQuantities reads a JSON object of amounts, flat or one level deep, from d and returns them
// sorted by dimension, zeros included. Faults go to faults under path. The returned error is a
// syntax error of the JSON text alone; after it d cannot be read any further.
func ReadQuantities(d *jsontext.Decoder, path string, round Rounding, faults *fault.List) ([]Quantity, error) {
	var list []Quantity
	r := quantityReader{d: d, path: path, depth: d.StackDepth(), round: round, faults: faults}
	r.add = func(dimension []byte, amount Amount) {
		list = append(list, Quantity{string(dimension), amount})
	}
	if err := r.read(); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b Quantity) int { return cmp.Compare(a.Dimension, b.Dimension) })
	for i := 1; i < len(list); i++ {
		if list[i].Dimension == list[i-1].Dimension {
			faults.Add(path, "dimension %q is named twice", shorten(list[i].Dimension))
		}
	}
	return list, nil
}

// quantityReader reads objects of amounts, each handed to add with a name that is valid during the call.
type quantityReader struct {
	d      *jsontext.Decoder
	path   string // of the value that begins at depth
	depth  int
	round  Rounding
	faults *fault.List
	add    func(dimension []byte, amount Amount)

	name, unquoted []byte // reused
}

// read reads one object of amounts.
func (r *quantityReader) read() error {
	r.name = r.name[:0]
	return r.object(true)
}

// object reads one level; r.name is that of the level above, with its dot.
func (r *quantityReader) object(nested bool) error {
	if kind := r.d.PeekKind(); kind != '{' {
		return r.skip("must be an object of amounts, not %s", walkjson.KindName(kind))
	}
	prefix := len(r.name)
	return walkjson.Object(r.d, &r.unquoted, func(key []byte) error {
		if r.name = append(r.name[:prefix], key...); len(r.name) > MaxName {
			return r.skip("a dimension's name may have %d bytes, not %d", MaxName, len(r.name))
		}
		return r.value(nested)
	})
}

func (r *quantityReader) value(nested bool) error {
	switch kind := r.d.PeekKind(); {
	case kind == '0':
		return r.number()
	case kind == '{' && nested:
		r.name = append(r.name, '.')
		return r.object(false)
	case nested:
		return r.skip("must be a number or an object of numbers, not %s", walkjson.KindName(kind))
	default:
		return r.skip("must be a number, not %s", walkjson.KindName(kind))
	}
}

func (r *quantityReader) number() error {
	number, err := r.d.ReadValue()
	if err != nil {
		return err
	}
	amount, err := ParseAmount(string(number), r.round)
	switch {
	case err != nil:
		r.fault("%v: %s", err, shorten(string(number)))
	case len(r.name) == 0:
		r.fault("a dimension needs a name")
	default:
		r.add(r.name, amount)
	}
	return nil
}

// skip passes over the value that follows and tells what is wrong with it.
func (r *quantityReader) skip(format string, args ...any) error {
	if err := r.d.SkipValue(); err != nil {
		return err
	}
	r.fault(format, args...)
	return nil
}

// fault tells what is wrong with the value that was read last.
func (r *quantityReader) fault(format string, args ...any) {
	addFault(r.faults, r.d, r.path, r.depth, format, args...)
}
