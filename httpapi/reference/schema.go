package reference

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// schema is what the documents say of a value.
type schema struct {
	Ref         string `json:"$ref"`
	Type        kinds
	Format      string
	Description string

	Properties           ordered[schema]
	Required             []string
	Items                *schema
	AdditionalProperties json.RawMessage // a schema, or false

	Enum                []json.RawMessage
	Const               json.RawMessage
	OneOf, AnyOf, AllOf []schema
	Not                 *schema

	Minimum, Maximum, ExclusiveMinimum, MinLength, MaxLength, Default json.RawMessage
	ContentEncoding                                                   string
}

// kinds are the types that a value may have.
type kinds []string

// UnmarshalJSON reads one, or a list.
func (k *kinds) UnmarshalJSON(data []byte) error {
	if data[0] == '[' {
		return json.Unmarshal(data, (*[]string)(k))
	}
	*k = []string{""}
	return json.Unmarshal(data, &(*k)[0])
}

// Word is a piece of a type in words.
type Word struct {
	Text   string
	Schema string // which it names; empty: none
}

// Row is a member of a value, or a parameter.
type Row struct {
	Name     string // a.b[].c
	Place    string // of a parameter: path, query, header
	Required bool
	Type     []Word
	Text     string
}

// values are what an additional member is; nil: anything, or nothing.
func (s schema) values() *schema {
	var of schema
	if len(s.AdditionalProperties) == 0 || s.AdditionalProperties[0] != '{' || json.Unmarshal(s.AdditionalProperties, &of) != nil {
		return nil
	}
	return &of
}

// words says what a value is.
func (s schema) words() []Word {
	switch {
	case s.Ref != "":
		return []Word{refWord(s.Ref)}
	case len(s.Const) > 0:
		return []Word{{Text: string(s.Const)}}
	case len(s.Enum) > 0:
		return joined(" | ", s.Enum, func(v json.RawMessage) []Word { return []Word{{Text: string(v)}} })
	case len(s.OneOf) > 0:
		return joined(" or ", s.OneOf, schema.words)
	case len(s.AnyOf) > 0:
		return joined(" or ", s.AnyOf, schema.words)
	case len(s.AllOf) > 0:
		return joined(" with ", slices.DeleteFunc(slices.Clone(s.AllOf), func(s schema) bool { return s.Ref == "" }), schema.words)
	case s.Not != nil:
		return append([]Word{{Text: "anything but "}}, s.Not.words()...)
	}
	all := joined(" or ", s.Type, func(kind string) []Word {
		switch {
		case kind == "array" && s.Items != nil:
			return append([]Word{{Text: "list of "}}, s.Items.words()...)
		case kind == "object" && s.values() != nil:
			return append([]Word{{Text: "object of "}}, s.values().words()...)
		case s.Format == "date-time" && kind == "string":
			return []Word{{Text: "time"}}
		case s.ContentEncoding != "" && kind == "string":
			return []Word{{Text: "string in " + s.ContentEncoding}}
		}
		return []Word{{Text: kind}}
	})
	if bounds := s.bounds(); bounds != "" {
		all = append(all, Word{Text: ", " + bounds})
	}
	return all
}

// bounds says what a value may be at most and at least, and what it is where it is absent.
func (s schema) bounds() string {
	var all []string
	say := func(format string, values ...json.RawMessage) {
		args := make([]any, 0, len(values))
		for _, v := range values {
			if len(v) == 0 {
				return
			}
			args = append(args, v)
		}
		all = append(all, fmt.Sprintf(format, args...))
	}
	switch {
	case len(s.Minimum) > 0 && len(s.Maximum) > 0:
		say("%s to %s", s.Minimum, s.Maximum)
	default:
		say("at least %s", s.Minimum)
		say("at most %s", s.Maximum)
	}
	say("above %s", s.ExclusiveMinimum)
	say("up to %s long", s.MaxLength)
	say("%s if absent", s.Default)
	return strings.Join(all, ", ")
}

// rows are the members of a value, and theirs, below a name.
func (s schema) rows(below string) (all []Row) {
	for _, part := range s.AllOf {
		all = append(all, part.rows(below)...)
	}
	for _, p := range s.Properties {
		name := below + p.name
		all = append(all, Row{
			Name: name, Required: slices.Contains(s.Required, p.name), Type: p.value.words(), Text: p.value.Description,
		})
		all = append(all, p.value.rows(name+".")...)
		if inner, at := p.value.inner(); inner != nil {
			all = append(all, inner.rows(name+at)...)
		}
	}
	return all
}

// inner is what a list, or an object of any names, consists of, and how its members are named.
func (s schema) inner() (of *schema, at string) {
	if s.Items != nil {
		return s.Items, "[]."
	}
	return s.values(), ".*."
}

// refWord names what a reference leads to: a schema, or a part of it.
func refWord(ref string) Word {
	_, path, _ := strings.Cut(ref, "/components/schemas/")
	name, part, deeper := strings.Cut(path, "/")
	if deeper {
		return Word{"as " + part[strings.LastIndexByte(part, '/')+1:] + " of " + name, name}
	}
	return Word{name, name}
}

func joined[T any](between string, parts []T, of func(T) []Word) (all []Word) {
	for i, p := range parts {
		if i > 0 {
			all = append(all, Word{Text: between})
		}
		all = append(all, of(p)...)
	}
	return all
}
