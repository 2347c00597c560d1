package planner_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/planner"
)

// A part says what a planner says, without the head.
func TestPart(t *testing.T) {
	t.Parallel()
	const head, body = `"peer_id":"p","generated_at":"2026-12-01T06:00:00Z",`, `"capacities":{"r":{"i":{"ram":1,"cpu":{"x":2}}}},"schedule":{"r":[{"start":"2026-12-01T08:00:00Z","end":"2026-12-01T09:00:00Z","booking_id":"oc-1"}]}`
	whole := mustDecode(t, []byte("{"+head+body+"}"))
	for _, text := range []string{"{" + body + "}", `{"peer_id":7,"generated_at":[],` + body + "}", `{"\u0070eer_id":"","x":-1,` + body + "}"} {
		part, err := planner.DecodePart([]byte(text), nil)
		if err != nil || part.Digest() != whole.Digest() || part.PeerID() != "" || part.GeneratedAt().UnixNano() != 0 {
			t.Errorf("%s: %v", text, err)
		}
	}
	var faults fault.List
	if _, err := planner.DecodePart([]byte(`{"capacities":{"r":{"i":{"ram":-1}}}}`), nil); !errors.As(err, &faults) || faults[0].Path != "$.capacities.r.i.ram" {
		t.Errorf("faults: %v", err)
	}
	if _, err := planner.Decode([]byte("{"+body+"}"), nil); err == nil {
		t.Error("after a part, a planner needs no head")
	}
}

func TestWarned(t *testing.T) {
	t.Parallel()
	ignored := `"schedule":{"r":[{"start":"2026-12-01T08:00:00Z","end":"2026-12-01T09:00:00Z"}]}`
	p, err := planner.DecodePart([]byte("{"+ignored+"}"), nil)
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

// TestWhatIsOursInAComposedPlanner is told, and does not count: a planner that shows it is as good as one that does
// not.
func TestWhatIsOursInAComposedPlanner(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		w.slots, w.composed = w.withCapacities(), true
		p := w.planner(t)
		w.slots = slices.DeleteFunc(w.slots, func(s booking) bool { return ourNodes(s.id) })
		bare := w.planner(t)
		_, slots := p.Counts()
		_, others := bare.Counts()
		if p.Digest() != bare.Digest() || p.Steps() != bare.Steps() {
			rt.Fatal("it counts")
		}
		if bare.Told() != bare.Digest() || (p.Told() == bare.Told()) != (slots == others) {
			rt.Fatalf("%d slots, %d of them of others, and told %x and %x", slots, others, p.Told(), bare.Told())
		}
	})
}
