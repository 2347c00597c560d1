package workflow

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// groupsMember is where a stored workflow has its groups. Who writes a workflow does not choose them there.
const groupsMember = "groups"

// Groups are those that the workflow belongs to, of a stored one; none: it is everybody's. The list is shared:
// read only.
func (w *Workflow) Groups() []string { return w.groups }

// ownGroups reads the groups of a stored workflow; those of a document that somebody sends say nothing.
func (r *reader) ownGroups() error {
	if !r.stored {
		return r.d.SkipValue()
	}
	return r.optionalArray(func() error {
		group, given, err := r.text()
		if !given && err == nil {
			r.fault("must be a string, not null") // else it would be everybody's
		}
		r.groups = append(r.groups, group)
		return err
	})
}

// WithGroups is the document of a workflow, which is valid, with the groups that it belongs to, instead of those
// that it names. All else stays as it is written.
func WithGroups(doc []byte, groups []string) ([]byte, error) {
	kept, named, err := membersBut(doc, groupsMember)
	if err != nil || !named && len(groups) == 0 {
		return doc, err
	}
	if len(groups) > 0 {
		list, err := appendGroups([]byte(`"`+groupsMember+`":`), groups)
		if err != nil {
			return nil, err
		}
		kept = append(kept, list)
	}
	return slices.Concat([]byte("{"), bytes.Join(kept, []byte(",")), []byte("}")), nil
}

// membersBut are the members of an object as they are written, but for those of a name.
func membersBut(doc []byte, name string) (kept [][]byte, named bool, err error) {
	d := jsontext.NewDecoder(bytes.NewReader(doc))
	if _, err := d.ReadToken(); err != nil {
		return nil, false, err
	}
	for d.PeekKind() == '"' {
		begin := d.InputOffset() // of what separates it from the one before
		token, err := d.ReadToken()
		if err != nil {
			return nil, false, err
		}
		is := token.String() == name
		if err := d.SkipValue(); err != nil {
			return nil, false, err
		}
		if is {
			named = true
			continue
		}
		kept = append(kept, bytes.TrimLeft(doc[begin:d.InputOffset()], ", \t\r\n"))
	}
	return kept, named, nil
}

func appendGroups(b []byte, groups []string) ([]byte, error) {
	b = append(b, '[')
	for i, group := range groups {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = jsontext.AppendQuote(b, group); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}
