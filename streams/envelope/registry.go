package envelope

import (
	"encoding/json"
	"fmt"
	"reflect"

	fastjson "github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// asEncodingJSON makes fastjson read all that encoding/json does, and alike, in a quarter of the time; but for
// times that are not RFC 3339.
var asEncodingJSON = fastjson.JoinOptions(jsonv1.DefaultOptionsV1(), jsonv1.ParseTimeWithLooseRFC3339(false))

// Registry knows the types of payloads by name. Fill it before it is used from several goroutines.
type Registry struct {
	types map[string]reflect.Type
	names map[reflect.Type]string
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	return &Registry{types: map[string]reflect.Type{}, names: map[reflect.Type]string{}}
}

// Register makes the type of payload, or what it points to, known by name. It fails when either is
// known otherwise already.
func (r *Registry) Register(name string, payload any) error {
	t := reflect.TypeOf(payload)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || name == "" {
		return fmt.Errorf("type %q of %T cannot be registered", name, payload)
	}
	if have, known := r.types[name]; known && have != t {
		return fmt.Errorf("type %q is %v already", name, have)
	}
	if have, known := r.names[t]; known && have != name {
		return fmt.Errorf("%v is type %q already", t, have)
	}
	r.types[name], r.names[t] = t, name
	return nil
}

// Serialize encodes the payload and fills in the type when it is empty. It fails with a *TypeError,
// or with ErrPayload. A json.RawMessage whose type the header names goes as it is.
func (r *Registry) Serialize(m *Message) (*EncodedMessage, error) {
	encoded := &EncodedMessage{Header: m.Header}
	if raw, ok := m.Payload.(json.RawMessage); ok && m.Type != "" {
		encoded.Payload = raw
		return encoded, nil
	}
	name, known := r.nameOf(m.Payload)
	if !known || m.Type != "" && m.Type != name {
		return nil, &TypeError{Type: fmt.Sprintf("%s(%T)", m.Type, m.Payload)}
	}
	data, err := json.Marshal(m.Payload)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrPayload, name, err)
	}
	encoded.Type, encoded.Payload = name, data
	return encoded, nil
}

func (r *Registry) nameOf(payload any) (string, bool) {
	t := reflect.TypeOf(payload)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name, known := r.names[t]
	return name, known
}

// Deserialize decodes the payload into a new value of its type; the result's Payload points to it. It
// fails with a *TypeError, or with ErrPayload.
func (r *Registry) Deserialize(m *EncodedMessage) (*Message, error) {
	t, known := r.types[m.Type]
	if !known {
		return nil, &TypeError{m.Type}
	}
	value := reflect.New(t)
	if err := fastjson.Unmarshal(m.Payload, value.Interface(), asEncodingJSON); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrPayload, m.Type, err)
	}
	return &Message{Header: m.Header, Payload: value.Interface()}, nil
}
