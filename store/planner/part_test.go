package planner_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/planner"
)

// A part says what a planner says, without the head.
func TestPart(t *testing.T) {
	t.Parallel()
	const head, body = `"peer_id":"p","generated_at":"2026-12-01T06:00:00Z",`, `"capacities":{"r":{"i":{"ram":1,"cpu":{"x":2}}}},"schedule":{"r":[{"start":"2026-12-01T08:00:00Z","end":"2026-12-01T09:00:00Z","booking_id":"oc-1"}]}`
	whole := mustDecode(t, []byte("{"+head+body+"}"))
	for _, text := range []string{"{" + body + "}", `{"peer_id":7,"generated_at":[],` + body + "}", `{"\u0070eer_id":"","x":-1,` + body + "}"} {
		part, err := planner.DecodePart([]byte(text))
		if err != nil || part.Digest() != whole.Digest() || part.PeerID() != "" || part.GeneratedAt().UnixNano() != 0 {
			t.Errorf("%s: %v", text, err)
		}
	}
	var faults fault.List
	if _, err := planner.DecodePart([]byte(`{"capacities":{"r":{"i":{"ram":-1}}}}`)); !errors.As(err, &faults) || faults[0].Path != "$.capacities.r.i.ram" {
		t.Errorf("faults: %v", err)
	}
	if _, err := planner.Decode([]byte("{"+body+"}"), nil); err == nil {
		t.Error("after a part, a planner needs no head")
	}
}

func TestWarned(t *testing.T) {
	t.Parallel()
	ignored := `"schedule":{"r":[{"start":"2026-12-01T08:00:00Z","end":"2026-12-01T09:00:00Z"}]}`
	p, err := planner.DecodePart([]byte("{" + ignored + "}"))
	if err != nil || len(p.Warnings()) != 1 || !strings.HasPrefix(p.Warnings()[0], "bookings of resource") {
		t.Fatalf("%v, %v", p, err)
	}
	before := p.Digest()
	p.Warn("and more")
	if !slices.Equal(p.Warnings()[1:], []string{"and more"}) || p.Digest() == before {
		t.Errorf("warned of %q", p.Warnings())
	}
	if got := slices.Collect(mustDecode(t, []byte(with(`"capacities":{"r":{"i":{"ram":1,"cpu":{"x":2}}}}`))).Dimensions()); !slices.Equal(got, []string{"cpu.x", "ram"}) {
		t.Errorf("dimensions %q", got)
	}
}
