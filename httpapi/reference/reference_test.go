package reference_test

import (
	"fmt"
	"strings"
	"testing"

	"oc-scheduler/httpapi/reference"
)

const (
	routes = `{"tags": [{"name": "things"}], "paths": {"/b": {"parameters": [{"$ref": "#/components/parameters/id"}],
		"put": {"operationId": "putB", "tags": ["things"], "parameters": [{"name": "n", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3}}],
			"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/B"}, "example": {"z": 1, "a": 2}}}},
			"responses": {"200": {"description": "It."}, "404": {"$ref": "#/components/responses/Gone"}}},
		"get": {"operationId": "getB", "tags": ["things"], "responses": {}}, "delete": {"operationId": "other", "tags": ["others"], "responses": {}}}},
		"components": {"parameters": {"id": {"name": "id", "in": "path", "required": true, "schema": {"type": "string", "maxLength": 128}}},
			"responses": {"Gone": {"description": "No such thing."}}, "schemas": {"B": %s}}}`
	bus = `{"servers": {"s": {"protocol": "nats"}}, "channels": {"c": {"address": "SUBJECT", "servers": [{"$ref": "#/servers/s"}],
		"messages": {"in": {"$ref": "#/components/messages/in"}, "out": {"$ref": "#/components/messages/out"}}, "x-close-codes": [{"code": 1012, "means": "m", "then": "t"}]}},
		"operations": {"o": {"action": "send", "messages": [{"$ref": "#/channels/c/messages/out"}]}, "i": {"action": "receive", "messages": [{"$ref": "#/channels/c/messages/in"}]}},
		"components": {"messages": {"in": {"name": "IN", "payload": {"$ref": "openapi.json#/components/schemas/B"}}, "out": {"name": "OUT", "payload": {"type": "object"}, "examples": [{"payload": {"k": 1}}]}}}}`
)

func said(words []reference.Word) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w.Text)
		if w.Schema != "" {
			b.WriteString("→" + w.Schema)
		}
	}
	return b.String()
}

// TestTypesInWords holds what is said of a member of each kind.
func TestTypesInWords(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{"type": "string", "format": "date-time"}`:                                      "time",
		`{"type": ["string", "null"], "format": "date-time"}`:                            "time or null",
		`{"type": "array", "items": {"type": "array", "items": {"type": "number"}}}`:     "list of list of number",
		`{"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Q"}}`: "object of Q→Q",
		`{"type": "object", "additionalProperties": false}`:                              "object",
		`{"oneOf": [{"type": "null"}, {"$ref": "openapi.json#/components/schemas/Q"}]}`:  "null or Q→Q",
		`{"$ref": "openapi.json#/components/schemas/Q/properties/r"}`:                    "as r of Q→Q",
		`{"enum": ["a", 1]}`:      `"a" | 1`,
		`{"const": "a"}`:          `"a"`,
		`{"not": {"const": "a"}}`: `anything but "a"`,
		`{"allOf": [{"$ref": "#/components/schemas/Q"}, {"properties": {"r": {"const": "x"}}}]}`: "Q→Q",
		`{"type": "string", "contentEncoding": "base64"}`:                                        "string in base64",
		`{"type": "integer", "minimum": 0, "default": 2}`:                                        "integer, at least 0, 2 if absent",
		`{"type": "number", "exclusiveMinimum": 0, "maximum": 7}`:                                "number, at most 7, above 0",
	} {
		m, err := reference.Read(fmt.Appendf(nil, routes, `{"properties": {"x": `+schema+`}}`), []byte(bus))
		if err != nil {
			t.Fatal(err)
		}
		if got := said(m.Schemas[0].Rows[0].Type); got != want {
			t.Errorf("%s is %q, want %q", schema, got, want)
		}
	}
}

// TestManual holds what of the documents is shown, in which order.
func TestManual(t *testing.T) {
	t.Parallel()
	const nested = `{"required": ["z"], "properties": {"z": {"type": "object", "required": ["b"], "properties": {"b": {"type": "array", "items": {"properties": {"c": {"type": "boolean", "description": "Of it."}}}}}}, "a": {"type": "object", "additionalProperties": {"properties": {"d": {}}}}}}`
	m, err := reference.Read(fmt.Appendf(nil, routes, nested), []byte(bus))
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, r := range m.Schemas[0].Rows {
		rows = append(rows, fmt.Sprint(r.Name, " ", r.Required))
	}
	if got := strings.Join(rows, ", "); got != "z true, z.b true, z.b[].c false, a false, a.*.d false" {
		t.Error(got)
	}
	some := m.Groups[0].Operations
	if len(some) != 2 || some[0].ID != "getB" || some[1].ID != "putB" || some[0].Parameters[0].Name != "id" || !some[0].Parameters[0].Required {
		t.Fatalf("%+v", some)
	}
	put := some[1]
	if got := said(put.Parameters[1].Type); got != "integer, 1 to 9, 3 if absent" || put.Body.Example != "{\n  \"z\": 1,\n  \"a\": 2\n}" {
		t.Errorf("%q, %q", got, put.Body.Example)
	}
	if len(put.Answers) != 1 || put.Answers[0].Text != "It." || len(put.Problems) != 1 || put.Problems[0] != m.Problems[0] {
		t.Errorf("%+v, %+v, want %+v", put.Answers, put.Problems, m.Problems)
	}
	c := m.Streams[0]
	if c.Protocol != "NATS" || c.Messages[0].Ours || !c.Messages[1].Ours || said(c.Messages[0].Type) != "B→B" || c.Messages[1].Example == "" || c.Closes[0].Code != 1012 {
		t.Errorf("%+v", c)
	}
	for _, text := range []string{"", "[]", `{"paths": []}`, `{"tags": [{"name": "t"}], "paths": {"/": {"get": {"tags": 1}}}}`} {
		if _, err := reference.Read([]byte(text), []byte(bus)); err == nil {
			t.Errorf("%s is read", text)
		}
	}
	if _, err := reference.Read(fmt.Appendf(nil, routes, "{}"), []byte("[]")); err == nil {
		t.Error("no asyncapi is read")
	}
}
