package envelope_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

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

// TestTimesOfPayloads are RFC 3339, as everywhere.
func TestTimesOfPayloads(t *testing.T) {
	t.Parallel()
	r := envelope.NewRegistry()
	if err := r.Register("At", struct{ At time.Time }{}); err != nil {
		t.Fatal(err)
	}
	for text, ok := range map[string]bool{
		"2026-12-01T08:00:00.1234567+01:00": true, "2026-12-01T08:00:00Z": true,
		"2026-12-01T9:00:00Z": false, "2026-12-01T08:00:00,5Z": false, "2026-12-01T08:00:00+24:00": false, "2026-12-01T24:00:00Z": false,
	} {
		m := &envelope.EncodedMessage{Payload: []byte(`{"At":"` + text + `"}`)}
		m.Type = "At"
		if _, err := r.Deserialize(m); (err == nil) != ok || err != nil && !errors.Is(err, envelope.ErrPayload) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
