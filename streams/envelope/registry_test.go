package envelope_test

import (
	"encoding/json"
	"errors"
	"testing"

	"oc-scheduler/streams/envelope"
)

type other struct{ N int }

func TestRegister(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		name    string
		payload any
		fails   bool
	}{
		"again":               {"Note", Note{}, false},
		"again, by pointer":   {"Note", &Note{}, false},
		"another":             {"Other", other{}, false},
		"name taken":          {"Note", other{}, true},
		"type taken":          {"Remark", Note{}, true},
		"type taken, pointer": {"Remark", &Note{}, true},
		"no name":             {"", other{}, true},
		"no type":             {"Nothing", nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := codec(t).Registry.Register(tc.name, tc.payload); (err != nil) != tc.fails {
				t.Errorf("Register = %v", err)
			}
		})
	}
}

func TestWhatIsNotRegisteredIsNotSent(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]envelope.Message{
		"another type":        {Payload: other{}},
		"nothing":             {},
		"under another name":  {Header: envelope.Header{Type: "Remark"}, Payload: Note{}},
		"raw, without a name": {Payload: json.RawMessage(`{}`)},
	} {
		if _, err := codec(t).Encode(&m); !isTypeError(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := envelope.NewRegistry()
	if err := r.Register("Func", struct{ F func() }{}); err != nil {
		t.Fatal(err)
	}
	_, err := r.Serialize(&envelope.Message{Payload: struct{ F func() }{}})
	if !errors.Is(err, envelope.ErrPayload) {
		t.Errorf("no JSON: %v", err)
	}
}

func isTypeError(err error) bool {
	_, ok := errors.AsType[*envelope.TypeError](err)
	return ok
}
