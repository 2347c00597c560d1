package planner

import (
	"oc-scheduler/store/fault"
	"oc-scheduler/store/walkjson"
)

// text reads a string; what use makes of it may be a fault.
func (d *decoder) text(use func(text []byte) error) error {
	value, err := d.ReadValue()
	if err != nil {
		return err
	}
	if kind := value.Kind(); kind != '"' {
		d.fault("must be a string, not %s", walkjson.KindName(kind))
		return nil
	}
	text, err := walkjson.Unquote(value, &d.unquoted)
	if err == nil {
		err = use(text)
	}
	if err != nil {
		d.fault("%v", err)
	}
	return nil
}

// object reads an object; null is an empty one.
func (d *decoder) object(member func(name []byte) error) error {
	switch kind := d.PeekKind(); kind {
	case '{':
	case 'n':
		return d.SkipValue()
	default:
		return d.skip("must be an object, not %s", walkjson.KindName(kind))
	}
	return walkjson.Object(d.Decoder, &d.unquoted, member)
}

// identified reads an object whose members' names must be identifiers; where one is none, its value
// is passed over.
func (d *decoder) identified(member func(number uint32) error) error {
	return d.object(func(name []byte) error {
		number, err := d.ids.identifier(name)
		if err != nil {
			d.fault("%v", err)
			return d.SkipValue()
		}
		return member(number)
	})
}

// skip passes over the value that follows and tells what is wrong with it.
func (d *decoder) skip(format string, args ...any) error {
	if err := d.SkipValue(); err != nil {
		return err
	}
	d.fault(format, args...)
	return nil
}

// fault tells what is wrong with the value that was read last.
func (d *decoder) fault(format string, args ...any) {
	addFault(&d.faults, d.Decoder, fault.Root, 0, format, args...)
}
