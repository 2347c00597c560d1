package httpapi

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"oc-scheduler/store"
)

// filled is a value of T none of whose fields is empty.
func filled[T any](t *testing.T) (value T) {
	t.Helper()
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		switch x := v.Addr().Interface().(type) {
		case *time.Time:
			*x = time.Unix(1, 0).UTC()
			return
		case *json.RawMessage:
			*x = json.RawMessage(`{}`)
			return
		}
		switch v.Kind() {
		case reflect.Struct:
			for _, field := range v.Fields() {
				fill(field)
			}
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem())
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0))
		case reflect.String:
			v.SetString("text")
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Int:
			v.SetInt(1)
		case reflect.Uint64:
			v.SetUint(1)
		case reflect.Float64:
			v.SetFloat(1)
		default:
			t.Fatalf("a field of type %v", v.Type())
		}
	}
	fill(reflect.ValueOf(&value).Elem())
	return value
}

// membersOf are the members of a document.
func membersOf(t *testing.T, document any) (members map[string]json.RawMessage) {
	t.Helper()
	data, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &members); err != nil {
		t.Fatal(err)
	}
	return members
}

// TestANodeIsShownWhole: each member of openapi.json's Node that is not from its heartbeats or its offer is of its record.
func TestANodeIsShownWhole(t *testing.T) {
	t.Parallel()
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]json.RawMessage `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(openAPI, &document); err != nil {
		t.Fatal(err)
	}
	shown := membersOf(t, nodeOf(filled[store.NodeRecord](t)))
	described := document.Components.Schemas["Node"].Properties
	for _, other := range []string{"free", "queued", "offer"} {
		delete(described, other)
	}
	if len(described) == 0 || !reflect.DeepEqual(keysOf(shown), keysOf(described)) {
		t.Errorf("shown are %v, described %v", keysOf(shown), keysOf(described))
	}
}

func keysOf[V any](of map[string]V) map[string]bool {
	keys := make(map[string]bool, len(of))
	for key := range of {
		keys[key] = true
	}
	return keys
}
