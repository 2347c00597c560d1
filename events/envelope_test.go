package events_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/events"
)

func TestEncodedEnvelope(t *testing.T) {
	t.Parallel()
	data, err := events.Envelope{FromApp: "a", Payload: []byte(`{"x":1}`)}.Encode()
	want := `{"from_app":"a","datatype":"","user":"","groups":[],"method":"","payload":"eyJ4IjoxfQ=="}`
	if err != nil || string(data) != want {
		t.Errorf("%s, %v, want %s", data, err, want)
	}
}

func TestEnvelopesComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ -~é\n"\\]{0,9}`)
		in := events.Envelope{
			FromApp: text.Draw(t, "from"), Datatype: text.Draw(t, "datatype"), User: text.Draw(t, "user"),
			Groups: rapid.SliceOfN(text, 0, 3).Draw(t, "groups"), Method: text.Draw(t, "method"),
			Payload: rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "payload"),
		}
		data, err := in.Encode()
		if err != nil {
			t.Fatal(err)
		}
		out, err := events.DecodeEnvelope(data)
		if err != nil || out.FromApp != in.FromApp || out.Datatype != in.Datatype || out.User != in.User ||
			!slices.Equal(out.Groups, in.Groups) || out.Method != in.Method || !bytes.Equal(out.Payload, in.Payload) {
			t.Fatalf("%+v came back as %+v, %v", in, out, err)
		}
	})
}

func TestPayloads(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{}`:                                  ``,
		`{"payload":null}`:                    ``,
		`{"payload":""}`:                      ``,
		`{"payload": {"a" : [1, 2]} }`:        `{"a" : [1, 2]}`,
		`{"payload":[1]}`:                     `[1]`,
		`{"payload":12.50}`:                   `12.50`,
		`{"payload":"eyJ4IjoiPz8/In0="}`:      `{"x":"???"}`,
		`{"payload":"eyJ4IjoiPz8\/In0="}`:     `{"x":"???"}`,
		`{"payload":"eyJ4IjoiPz8\u002fIn0="}`: `{"x":"???"}`,
		`{"payload":"no base64"}`:             `"no base64"`,
		`{"user":1,"groups":["a",2,null,"b"],"method":{},"datatype":[],"payload":true}`: `true`,
	} {
		e, err := events.DecodeEnvelope([]byte(in))
		if err != nil || string(e.Payload) != want {
			t.Errorf("payload of %s = %s, %v, want %s", in, e.Payload, err, want)
		}
	}
}

func FuzzEnvelope(f *testing.F) {
	f.Add([]byte(`{"from_app":"oc-discovery","datatype":"","user":"u","groups":["g"],"method":"m","payload":"eyJ4IjoxfQ=="}`))
	f.Add([]byte(`{"payload":{"action":"PB_PLANNER","payload":{"peer_id":"p"}},"groups":null}`))
	f.Add([]byte(`{"payload":"eyJ4IjoiPz8\/In0=","action":"PB_PLANNER"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		original := bytes.Clone(data)
		e, err := events.DecodeEnvelope(data)
		p, _ := events.DecodePropagated(data)
		if !bytes.Equal(data, original) {
			t.Fatal("decoding changed the message")
		}
		if err != nil {
			return
		}
		var members map[string]json.RawMessage
		if json.Unmarshal(data, &members) != nil || members == nil {
			t.Fatal("accepted what is no JSON object")
		}
		if !bytes.Equal(e.Payload, p.Payload) && members["action"] == nil {
			t.Errorf("payloads %q and %q", e.Payload, p.Payload)
		}
		again, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if back, err := events.DecodeEnvelope(again); err != nil || back.FromApp != e.FromApp || !bytes.Equal(back.Payload, e.Payload) {
			t.Errorf("%+v came back as %+v, %v", e, back, err)
		}
	})
}
