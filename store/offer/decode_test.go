package offer_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/offer"
)

func TestFaultsOfAnOffer(t *testing.T) {
	t.Parallel()
	for text, path := range map[string]string{
		``:                                      "$",
		`[]`:                                    "$",
		`{"capacities":{"r":{"i":{"ram":-1}}}}`: "$.capacities.r.i.ram",
		`{"capacities":{"r":{"i":7}}}`:          "$.capacities.r.i",
		`{"schedule":{"r":[{"start":"2026-12-01T08:00:00Z"}]}}`: "$.schedule.r[0]",
		`{"schedule":{"r":[{"instance_id":7}]}}`:                "$.schedule.r[0].instance_id",
		`{"x":"` + strings.Repeat("x", offer.MaxBytes) + `"}`:   "$",
		`{"capacities":{"":{}}}`:                                "$.capacities['']",
	} {
		_, err := offer.Decode([]byte(text))
		var faults fault.List
		if !errors.As(err, &faults) || faults[0].Path != path {
			t.Errorf("%.80s: %v, want a fault at %s", text, err, path)
		}
	}
	for _, text := range []string{`{}`, `{"capacities":null,"schedule":null}`, `{"schedule":{"r":null},"capacities":{"r":null,"s":{"i":null}}}`, `{"peer_id":7,"generated_at":"never"}`} {
		if o, err := offer.Decode([]byte(text)); err != nil || compose(t, map[string]*offer.Offer{"a": o}) == nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FuzzDecode: whatever comes is an offer that can be composed, or has faults.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"capacities":{"r":{"i":{"ram":2},"j":{"cpu":{"x":3}}},"s":null},"schedule":{"r":[{"start":"2026-12-01T08:00:00Z","end":"2026-12-01T10:00:00Z","instance_id":"i"},{"start":"2026-12-01T08:00:00Z","end":"2026-12-01T10:00:00Z","instance_id":null,"usage":{"ram":1}}]}}`))
	f.Add([]byte(`{"peer_id":7,"capacities":{"\u0072":{"i":null}},"schedule":null}`))
	f.Add(fmt.Appendf(nil, `{"capacities":{"r":{"i":{"ram":2}}},"schedule":{"r":[{"start":"2026-12-01T08:00:00Z","end":"2026-12-01T10:00:00Z","instance_id":"i","booking_id":%q},{"booking_id":%q,"start":"2026-12-01T08:00:00Z","end":"2026-12-01T10:00:00Z"}]}}`, oursA, oursB))
	f.Add(many(0, 3, 2))
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := offer.Decode(data)
		if err != nil {
			var faults fault.List
			if !errors.As(err, &faults) || len(faults) == 0 {
				t.Fatal(err)
			}
			return
		}
		c := compose(t, map[string]*offer.Offer{"a": o, "b": o})
		checkWarnings(t, c)
		if refs := o.Refs(); len(c.LeftOut) == 0 && len(refs) != len(c.Nodes) {
			t.Fatalf("%d of %d instances", len(c.Nodes), len(refs))
		}
		text, err := o.AppendText(nil)
		if err != nil {
			t.Fatal(err)
		}
		again := decode(t, text)
		if len(o.Warnings()) == 0 && again.Digest() != o.Digest() {
			t.Fatalf("written as %s", text)
		}
	})
}
