package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Manual is what a page shows.
type Manual struct {
	Text     string // what this is
	Groups   []Group
	Streams  []Channel
	Access   []Row // how who asks is known
	Problems []Problem
	Schemas  []Schema
}

// Group are operations about one thing.
type Group struct {
	Name, Text string
	Operations []Operation
}

// Operation is one method of one address.
type Operation struct {
	ID, Method, Path, Summary, Text string
	Parameters                      []Row
	Body                            *Body
	Answers                         []Answer
	Problems                        []Problem
}

// Body is what is sent.
type Body struct {
	Type    []Word
	Example string // JSON; empty: none
}

// Answer is one of those to an operation, in one content type.
type Answer struct {
	Status, Content, Text string
	Type                  []Word
}

// Problem is an answer that many operations have.
type Problem struct{ Status, Name, Text string }

// Schema is a value that others refer to.
type Schema struct {
	Name, Text string
	Type       []Word // of one without members
	Rows       []Row
}

// api is an OpenAPI document.
type api struct {
	Info       struct{ Description string }
	Tags       []struct{ Name, Description string }
	Paths      ordered[ordered[json.RawMessage]]
	Components struct {
		Schemas         ordered[schema]
		Responses       ordered[response]
		Parameters      ordered[parameter]
		SecuritySchemes ordered[struct{ Description string }]
	}
}

type parameter struct {
	Ref                   string `json:"$ref"`
	Name, In, Description string
	Required              bool
	Schema                schema
}

type response struct {
	Ref         string `json:"$ref"`
	Description string
	Content     ordered[content]
}

type content struct {
	Schema  schema
	Example json.RawMessage
}

type operation struct {
	OperationID, Summary, Description string
	Tags                              []string
	Parameters                        []parameter
	RequestBody                       *struct{ Content ordered[content] }
	Responses                         ordered[response]
}

// methods of an address, in the order in which they are shown; all else of it is no operation.
var methods = []string{"get", "put", "post", "delete"}

// Read makes a manual of both documents. It fails for what is none.
func Read(openAPI, asyncAPI []byte) (*Manual, error) {
	var d api
	if err := json.Unmarshal(openAPI, &d); err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	m := &Manual{Text: d.Info.Description}
	for _, tag := range d.Tags {
		g := Group{Name: tag.Name, Text: tag.Description}
		for _, path := range d.Paths {
			some, err := d.operations(path.name, path.value, tag.Name)
			if err != nil {
				return nil, fmt.Errorf("openapi: %s: %w", path.name, err)
			}
			g.Operations = append(g.Operations, some...)
		}
		m.Groups = append(m.Groups, g)
	}
	for _, s := range d.Components.SecuritySchemes {
		m.Access = append(m.Access, Row{Name: s.name, Text: s.value.Description})
	}
	m.Problems, m.Schemas = d.problems(), schemasOf(d.Components.Schemas)
	var t talk
	if err := json.Unmarshal(asyncAPI, &t); err != nil {
		return nil, fmt.Errorf("asyncapi: %w", err)
	}
	m.Streams = t.channels()
	m.Schemas = append(m.Schemas, schemasOf(t.Components.Schemas)...)
	slices.SortFunc(m.Schemas, func(a, b Schema) int { return strings.Compare(a.Name, b.Name) })
	return m, nil
}

func schemasOf(all ordered[schema]) (some []Schema) {
	for _, s := range all {
		shown := Schema{Name: s.name, Text: s.value.Description, Rows: s.value.rows("")}
		if len(shown.Rows) == 0 {
			shown.Type = s.value.words()
		}
		some = append(some, shown)
	}
	return some
}

// operations are those of an address that are filed under a tag.
func (d *api) operations(path string, item ordered[json.RawMessage], tag string) (some []Operation, err error) {
	var shared []parameter
	if raw, has := item.get("parameters"); has {
		if err := json.Unmarshal(raw, &shared); err != nil {
			return nil, err
		}
	}
	for _, method := range methods {
		raw, has := item.get(method)
		if !has {
			continue
		}
		var o operation
		if err := json.Unmarshal(raw, &o); err != nil {
			return nil, err
		}
		if !slices.Contains(o.Tags, tag) {
			continue
		}
		o.Parameters = slices.Concat(shared, o.Parameters)
		some = append(some, d.shown(o, strings.ToUpper(method), path))
	}
	return some, nil
}

func (d *api) shown(o operation, method, path string) Operation {
	shown := Operation{ID: o.OperationID, Method: method, Path: path, Summary: o.Summary, Text: o.Description}
	for _, p := range o.Parameters {
		if name := last(p.Ref); name != "" {
			p, _ = d.Components.Parameters.get(name)
		}
		shown.Parameters = append(shown.Parameters, Row{p.Name, p.In, p.Required, p.Schema.words(), p.Description})
	}
	if o.RequestBody != nil {
		for _, c := range o.RequestBody.Content {
			shown.Body = &Body{c.value.Schema.words(), indented(c.value.Example)}
		}
	}
	for _, r := range o.Responses {
		if name := last(r.value.Ref); name != "" {
			common, _ := d.Components.Responses.get(name)
			shown.Problems = append(shown.Problems, Problem{r.name, name, common.Description})
			continue
		}
		shown.Answers = append(shown.Answers, answers(r.name, r.value)...)
	}
	return shown
}

func answers(status string, r response) (all []Answer) {
	for _, c := range r.Content {
		text := strings.TrimSpace(r.Description + " " + c.value.Schema.Description)
		all = append(all, Answer{status, c.name, text, c.value.Schema.words()})
	}
	if len(r.Content) == 0 {
		all = []Answer{{Status: status, Text: r.Description}}
	}
	return all
}

// problems are the answers that operations share, by name.
func (d *api) problems() (all []Problem) {
	statuses := map[string]string{}
	for _, path := range d.Paths {
		for _, method := range methods {
			raw, has := path.value.get(method)
			var o operation
			if !has || json.Unmarshal(raw, &o) != nil { // it was read before
				continue
			}
			for _, r := range o.Responses {
				statuses[last(r.value.Ref)] = r.name
			}
		}
	}
	for _, r := range d.Components.Responses {
		all = append(all, Problem{statuses[r.name], r.name, r.value.Description})
	}
	slices.SortStableFunc(all, func(a, b Problem) int { return strings.Compare(a.Status, b.Status) })
	return all
}

// last is what a reference names.
func last(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

func indented(example json.RawMessage) string {
	var b bytes.Buffer
	if len(example) == 0 || json.Indent(&b, example, "", "  ") != nil {
		return ""
	}
	return b.String()
}
