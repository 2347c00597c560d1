package workflow

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/walkjson"
)

// reader collects one document. Faults don't stop it; a syntax error does.
type reader struct {
	data     []byte
	d        *jsontext.Decoder
	unquoted []byte // reused
	faults   fault.List
	id, name string
	items    []item
	links    []link
	groups   []string
	noItems  bool // the items can't be read at all, so links can't be judged

	want   string // the id that it must have; "": any
	stored bool   // it was valid by the rules of the version that stored it
}

// link is an arrow between two items, by the ids that the document gives; "" is one already refused.
type link struct{ source, destination string }

// Decode reads a workflow. The error is a fault.List of everything that is wrong with it. Unknown
// members are ignored; a member that is null counts as absent.
func Decode(data []byte) (*Workflow, error) { return (&reader{}).read(data) }

// DecodeAs is Decode for a workflow that is addressed by its id: that it has another one is a fault, too.
func DecodeAs(workflowID string, data []byte) (*Workflow, error) {
	return (&reader{want: workflowID}).read(data)
}

// DecodeStored is Decode for what was stored, maybe by a version that asked for less: one without a graph
// needs nothing.
func DecodeStored(data []byte) (*Workflow, error) { return (&reader{stored: true}).read(data) }

func (r *reader) read(data []byte) (*Workflow, error) {
	r.data, r.d = data, jsontext.NewDecoder(bytes.NewBuffer(data))
	if err := r.document(); err != nil {
		r.faults.Add(syntaxFault(data))
		return nil, r.faults
	}
	return r.build()
}

func (r *reader) document() error {
	var hasID, hasGraph bool
	isObject, err := r.object(func(name string) (err error) {
		switch name {
		case "id":
			hasID, err = r.ownID()
		case "name":
			r.name, _, err = r.text()
		case groupsMember:
			err = r.ownGroups()
		case "graph":
			hasGraph = r.d.PeekKind() != 'n'
			_, err = r.optionalObject(r.graph)
		default:
			err = r.d.SkipValue()
		}
		return err
	})
	if err != nil {
		return err
	}
	if isObject && !hasID {
		r.faults.Add("$.id", "is missing")
	}
	if isObject && !hasGraph && !r.stored {
		r.faults.Add("$.graph", "is missing")
	}
	return r.end()
}

func (r *reader) ownID() (given bool, err error) {
	r.id, given, err = r.identifier()
	if r.id != "" && r.want != "" && r.id != r.want {
		r.fault("must be the id in the path")
	}
	return given, err
}

// end makes sure that nothing follows.
func (r *reader) end() error {
	err := walkjson.End(r.d)
	if errors.Is(err, walkjson.ErrMore) {
		r.faults.Add(fault.Root, "another value follows the workflow")
		return nil
	}
	return err
}

func (r *reader) graph(name string) error {
	switch name {
	case "items":
		isObject, err := r.optionalObject(r.item)
		r.noItems = !isObject
		return err
	case "links":
		return r.optionalArray(r.link)
	}
	return r.d.SkipValue()
}

func (r *reader) link() error {
	var l link
	var from, to bool
	isObject, err := r.object(func(name string) (err error) {
		switch name {
		case "source":
			l.source, from, err = r.identifier()
		case "destination":
			l.destination, to, err = r.identifier()
		default:
			err = r.d.SkipValue()
		}
		return err
	})
	r.links = append(r.links, l)
	if err == nil && isObject && (!from || !to) {
		r.fault("must have a source and a destination")
	}
	return err
}
