package nclprotocol_test

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/nclprotocol"
)

// FuzzControl holds that a control message is read or refused, whatever it says, and that what was read is
// written alike. Its seeds are the golden ones.
func FuzzControl(f *testing.F) {
	text, err := os.ReadFile(golden)
	if err != nil {
		f.Fatal(err)
	}
	var all []wireMessage
	if err := json.Unmarshal(text, &all); err != nil {
		f.Fatal(err)
	}
	for _, m := range all {
		f.Add(m.Type, []byte(m.Payload))
	}
	f.Add(nclprotocol.TypeOfferRequest, []byte(`{"sequence":-1,"offer":"x"}`))
	f.Add(nclprotocol.TypeOfferRequest, []byte(`{"sequence":1,"offer":null}`))
	registry := envelope.NewRegistry()
	if err := nclprotocol.RegisterControl(registry); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name string, payload []byte) {
		read, err := registry.Deserialize(&envelope.EncodedMessage{Header: envelope.Header{Type: name}, Payload: payload})
		if err != nil {
			return
		}
		written, err := registry.Serialize(read)
		if err != nil {
			t.Fatalf("%s can't be written: %v", payload, err)
		}
		again, err := registry.Deserialize(written)
		if err != nil {
			t.Fatalf("%s became %s: %v", payload, written.Payload, err)
		}
		if twice, err := registry.Serialize(again); err != nil || !reflect.DeepEqual(twice, written) {
			t.Errorf("%s became %s and then %s, %v", payload, written.Payload, twice.Payload, err)
		}
	})
}
