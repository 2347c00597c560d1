package events

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// FuzzPlain: what the short way takes, the long way takes and understands alike.
func FuzzPlain(f *testing.F) {
	for _, data := range plainSeeds {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) { sameEitherWay(t, data) })
}

var plainSeeds = []string{
	`{"from_app":"oc-discovery","datatype":"","user":"u","groups":["g","h"],"method":"m","payload":"eyJ4IjoxfQ=="}`,
	` { "payload" : "eyJ4IjoxfQ==" , "groups" : [ "g" , "h" ] } `,
	`{"groups":null,"action":"PB_PLANNER","datatype":"","payload":""}`, `{"groups":[]}`, `{}`, `null`, ``,
	`{"payload":"eyJ4IjoiPz8\/In0="}`, `{"payload":"no base64"}`, "{\"payload\":\"eyJ4\nIjoxfQ==\"}", `{"payload":"eyJ4IjoxfQ"}`,
	`{"user":"a\"b"}`, `{"user":"é"}`, "{\"user\":\"\xff\"}", "{\"user\":\"\x7f\"}", `{"user":1}`, `{"us\u0065r":""}`,
	`{"user":"","user":""}`, `{"user":"",}`, `{"user":""}}`, `{"user":""`, `{"user"}`, `{,}`, `{"groups":["a",]}`, `{"groups":nul}`,
	"{\x00}", "{}\x00", `{"action":"a"}`, `{"x":1,"action":"a"}`,
}

func sameEitherWay(t *testing.T, data []byte) {
	t.Helper()
	if e, ok := plainEnvelope(data); ok {
		if want, err := anyEnvelope(data); err != nil || !equal(e.Groups, want.Groups) || !reflect.DeepEqual(withoutGroups(e), withoutGroups(want)) {
			t.Errorf("%q: %+v, want %+v, %v", data, e, want, err)
		}
	}
	if p, ok := plainPropagated(data); ok {
		if want, err := anyPropagated(data); err != nil || !reflect.DeepEqual(p, want) {
			t.Errorf("%q: %+v, want %+v, %v", data, p, want, err)
		}
	}
	if user, ok := plainFirst(data, "user"); ok {
		if want, err := find(data, "user"); err != nil || user != want {
			t.Errorf("%q: %q, want %q, %v", data, user, want, err)
		}
	}
}

func equal(a, b []string) bool { return len(a) == len(b) && (len(a) == 0 || reflect.DeepEqual(a, b)) }

func withoutGroups(e Envelope) Envelope { e.Groups = nil; return e }

// TestPlain changes envelopes at random; most are usual, and many then not quite.
func TestPlain(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	const bytes = "{}[]\",:\\ \n\x00\xffnul01aA=/é"
	taken := 0
	for range 100_000 {
		data := []byte(plainSeeds[random.IntN(len(plainSeeds))])
		for range random.IntN(3) {
			if at := random.IntN(len(data) + 1); at < len(data) && random.IntN(2) == 0 {
				data[at] = bytes[random.IntN(len(bytes))]
			} else {
				data = append(data[:at:at], append([]byte{bytes[random.IntN(len(bytes))]}, data[at:]...)...)
			}
		}
		sameEitherWay(t, data)
		if _, ok := plainEnvelope(data); ok {
			taken++
		}
	}
	if taken < 2_000 {
		t.Errorf("only %d were taken: this tests little", taken)
	}
}

// TestPlainEnvelopesAreTakenTheShortWay: what is on the bus day by day is not unusual.
func TestPlainEnvelopesAreTakenTheShortWay(t *testing.T) {
	t.Parallel()
	inner, err := Propagated{Action: ActionPlanner, Payload: []byte(`{"peer_id":"p"}`)}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	data, err := Envelope{FromApp: FromDiscovery, Payload: inner}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	e, ok := plainEnvelope(data)
	p, also := plainPropagated(e.Payload)
	if !ok || !also || p.Action != ActionPlanner || string(p.Payload) != `{"peer_id":"p"}` {
		t.Errorf("%+v, %v; %+v, %v", e, ok, p, also)
	}
}
