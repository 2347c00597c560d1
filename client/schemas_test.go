package client_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"oc-scheduler/client"
)

// TestEachSchemaHasAType with a field for each member, of a kind that can hold it, and with no other.
func TestEachSchemaHasAType(t *testing.T) {
	t.Parallel()
	doc := described(t)
	types := map[string]reflect.Type{}
	reach(types, reflect.TypeFor[client.Problem]())
	methods := reflect.TypeFor[*client.Client]()
	for method := range methods.Methods() {
		of := method.Type
		for in := range of.Ins() {
			reach(types, in)
		}
		for out := range of.Outs() {
			reach(types, out)
		}
	}
	reach(types, reflect.TypeFor[client.Event[client.Run]]())
	reach(types, reflect.TypeFor[client.OutputEvent]())
	for name, schema := range doc.Components.Schemas {
		switch {
		case name == "ErrorFrame": // a problem
			continue
		case types[name] == nil && strings.HasSuffix(name, "List"): // a List of something, which is returned
		case types[name] == nil:
			t.Errorf("there is no type %s", name)
		default:
			alike(t, name, schema.Value, types[name])
		}
	}
}

// reach notes the types that a type is made of, by their names.
func reach(types map[string]reflect.Type, of reflect.Type) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		reach(types, of.Elem())
	case reflect.Struct:
		if types[of.Name()] != nil || of.PkgPath() == "time" {
			return
		}
		types[of.Name()] = of
		for field := range of.Fields() {
			reach(types, field.Type)
		}
	}
}

// alike holds a type to a schema, and so on inwards.
func alike(t *testing.T, at string, schema *openapi3.Schema, of reflect.Type) {
	t.Helper()
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if !holds(schema, of) {
		t.Errorf("%s: %v, but the schema has %v %s", at, of, schema.Type, schema.Format)
		return
	}
	switch of.Kind() {
	case reflect.Slice:
		if schema.Items != nil {
			alike(t, at+"[]", schema.Items.Value, of.Elem())
		}
	case reflect.Struct:
		fields := map[string]reflect.Type{}
		fieldsOf(of, fields)
		members := membersOf(schema)
		for name, member := range members {
			if fields[name] == nil {
				t.Errorf("%s: no field for %q", at, name)
			} else {
				alike(t, at+"."+name, member.Value, fields[name])
			}
			delete(fields, name)
		}
		if len(fields) > 0 && len(members) > 0 {
			t.Errorf("%s: the schema has no %v", at, slices.Sorted(maps.Keys(fields)))
		}
	}
}

// membersOf are those of an object, or of all that it may be one of.
func membersOf(schema *openapi3.Schema) openapi3.Schemas {
	members := maps.Clone(schema.Properties)
	for _, one := range schema.OneOf {
		if members == nil {
			members = openapi3.Schemas{}
		}
		maps.Copy(members, one.Value.Properties)
	}
	return members
}

func fieldsOf(of reflect.Type, into map[string]reflect.Type) {
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous:
			fieldsOf(field.Type, into)
		case name != "-":
			into[name] = field.Type
		}
	}
}

// holds says whether a type can hold what a schema allows.
func holds(schema *openapi3.Schema, of reflect.Type) bool {
	is := func(name string) bool { return schema.Type.Includes(name) }
	switch {
	case schema.Type == nil || of == reflect.TypeFor[json.RawMessage](): // an enum, a constant, one of several
		return true
	case is("string") && schema.Format == "date-time":
		return of == reflect.TypeFor[time.Time]()
	case is("string"):
		return of.Kind() == reflect.String || of == reflect.TypeFor[[]byte]()
	case is("boolean"):
		return of.Kind() == reflect.Bool
	case is("integer"):
		return of.Kind() >= reflect.Int && of.Kind() <= reflect.Uint64
	case is("number"):
		return of.Kind() == reflect.Float64
	case is("array"):
		return of.Kind() == reflect.Slice
	case is("object"):
		return of.Kind() == reflect.Struct || of.Kind() == reflect.Map
	}
	return false
}

// TestExamplesOfTheDocument lose nothing on their way through the types.
func TestExamplesOfTheDocument(t *testing.T) {
	t.Parallel()
	types := map[string]any{
		"putWorkflow": &client.Workflow{}, "checkWorkflowOnce": &client.CheckRequest{}, "bookSchedule": &client.ScheduleRequest{},
		"previewSchedule": &client.ScheduleRequest{}, "holdWorkflow": &client.HoldRequest{}, "confirmHold": &client.ConfirmRequest{},
		"startRun": &client.RunRequest{}, "runExecution": &client.ExecutionOrder{}, "createToken": &client.TokenDraft{},
	}
	for _, path := range described(t).Paths.Map() {
		for _, operation := range path.Operations() {
			into, is := types[operation.OperationID]
			if !is {
				continue
			}
			want := operation.RequestBody.Value.Content.Get("application/json").Example
			if got := through(t, want, into); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %v, want %v", operation.OperationID, got, want)
			}
			delete(types, operation.OperationID)
		}
	}
	if len(types) > 0 {
		t.Errorf("no examples of %v", slices.Sorted(maps.Keys(types)))
	}
}

// through is a document that was read as a type and written again.
func through(t *testing.T, doc, into any) (out any) {
	t.Helper()
	text, err := json.Marshal(doc)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err == nil {
		text, err = json.Marshal(into)
	}
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}
