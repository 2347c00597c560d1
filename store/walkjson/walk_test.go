package walkjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"oc-scheduler/store/walkjson"
)

// walked reads a document by walking through it.
func walked(data []byte) (v any, err error) {
	d, buffer := jsontext.NewDecoder(bytes.NewBuffer(data)), []byte(nil)
	if v, err = value(d, &buffer); err == nil {
		err = walkjson.End(d)
	}
	return v, err
}

func value(d *jsontext.Decoder, buffer *[]byte) (any, error) {
	switch d.PeekKind() {
	case '{':
		object := map[string]any{}
		return object, walkjson.Object(d, buffer, func(name []byte) error {
			key := string(name)
			v, err := value(d, buffer)
			object[key] = v
			return err
		})
	case '[':
		list := []any{}
		err := walkjson.List(d, func() error {
			v, err := value(d, buffer)
			list = append(list, v)
			return err
		})
		return list, err
	}
	raw, err := d.ReadValue()
	if err != nil {
		return nil, err
	}
	var v any
	err = json.Unmarshal(raw, &v)
	return v, err
}

// TestAWalkMeetsAllThatADecoderDoes, in documents as encoding/json writes them, escapes included.
func TestAWalkMeetsAllThatADecoderDoes(t *testing.T) {
	t.Parallel()
	leaf := rapid.OneOf(rapid.Just[any](nil), rapid.Float64Range(-1e9, 1e9).AsAny(), rapid.Bool().AsAny(), rapid.String().AsAny())
	var anything func(depth int) *rapid.Generator[any]
	anything = func(depth int) *rapid.Generator[any] {
		if depth == 0 {
			return leaf
		}
		below := anything(depth - 1)
		return rapid.OneOf(leaf, rapid.SliceOfN(below, 0, 4).AsAny(), rapid.MapOfN(rapid.String(), below, 0, 4).AsAny())
	}
	rapid.Check(t, func(t *rapid.T) {
		data, err := json.Marshal(anything(3).Draw(t, "document"))
		if err != nil {
			t.Fatal(err)
		}
		var want any
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		if got, err := walked(data); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s is walked as %v, %v", data, got, err)
		}
	})
}

func TestAWalkThroughBrokenTextFails(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", "[", `{"a"`, `{"a":`, `{"a":1`, "[1", "[1,", "[1}", `{"a":1]`, `{"\x":1}`, `{"a":1,"a":2}`, "{} x"} {
		if v, err := walked([]byte(text)); err == nil || errors.Is(err, walkjson.ErrMore) {
			t.Errorf("%q is walked as %v, %v", text, v, err)
		}
	}
	if _, err := walked([]byte("{} []")); !errors.Is(err, walkjson.ErrMore) {
		t.Errorf("of two values: %v", err)
	}
}
