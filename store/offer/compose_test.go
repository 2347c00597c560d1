package offer_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/store/offer"
	"oc-scheduler/store/planner"
)

// Composed, the offers say what their twin does, whoever wrote them how.
func TestComposedAsByTheTwin(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		nodes, offers, others := map[string]told{}, map[string]*offer.Offer{}, map[string]*offer.Offer{}
		for _, node := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 4, rapid.ID).Draw(t, "nodes") {
			nodes[node] = drawTold(t)
			offers[node] = decode(t, nodes[node].document(false))
			slices.Reverse(nodes[node].slots)
			others[node] = decode(t, nodes[node].document(true))
			if offers[node].Digest() != others[node].Digest() {
				t.Fatal("written otherwise, it is another offer")
			}
		}
		want, whose := twin(t, nodes)
		got := compose(t, offers)
		bare, err := planner.Decode(got.JSON, nil)
		if err != nil || bare.Digest() != want.Digest() || !maps.Equal(got.Nodes, whose) {
			t.Fatalf("%s, %v; whose %v, want %v", got.JSON, err, got.Nodes, whose)
		}
		checkOurs(t, got, nodes)
		if !maps.Equal(offer.Assign(others), got.Nodes) {
			t.Fatal("assigned otherwise than composed")
		}
		if again := compose(t, others); again.Planner.Digest() != got.Planner.Digest() {
			t.Fatalf("%s\nand written otherwise\n%s", got.JSON, again.JSON)
		}
		if twice := compose(t, offers); string(twice.JSON) != string(got.JSON) {
			t.Fatalf("%s\nand again\n%s", got.JSON, twice.JSON)
		}
		checkWarnings(t, got)
	})
}

// checkOurs: without our bookings, what the nodes tell makes a planner in which the same counts.
func checkOurs(t require, got *offer.Composition, nodes map[string]told) {
	t.Helper()
	others := map[string]*offer.Offer{}
	for node, o := range nodes {
		o.slots = slices.DeleteFunc(slices.Clone(o.slots), func(b booked) bool {
			_, has := o.instances[b.on]
			return has && (b.id == oursA || b.id == oursB)
		})
		others[node] = decode(t, o.document(false))
	}
	if compose(t, others).Planner.Digest() != got.Planner.Digest() {
		t.Fatal(fmt.Sprintf("%s: ours counts", got.JSON))
	}
}

// checkWarnings: those of the planner stand in its document.
func checkWarnings(t require, c *offer.Composition) {
	t.Helper()
	var document struct{ Warnings []string }
	if err := json.Unmarshal(c.JSON, &document); err != nil || !slices.Equal(document.Warnings, c.Planner.Warnings()) {
		t.Fatal(fmt.Sprintf("%s, %v, want %q", c.JSON, err, c.Planner.Warnings()))
	}
}

func TestComposition(t *testing.T) {
	t.Parallel()
	offers := map[string]*offer.Offer{
		"n2": decode(t, []byte(`{"capacities":{"r":{"i":{"ram":1},"k":{"ram":4}}},"schedule":{"r":[{"start":"2026-12-01T08:00:00Z","end":"2026-12-01T09:00:00Z","booking_id":"b-2"}]}}`)),
		"n1": decode(t, []byte(` {"schedule": {"r":[{"end":"2026-12-01T10:00:00Z", "instance_id":"i", "start":"2026-12-01T08:00:00Z"}], "q":[]},"capacities":{"r":{"i":{"ram":2}, "j":{"cpu":{"x":3}}}}}`)),
		"n3": decode(t, []byte(`{"capacities":{"s":{}},"schedule":{"r":[{"start":"2026-12-01T08:00:00Z","end":"2026-12-01T09:00:00Z"}]}}`)),
	}
	c := compose(t, offers)
	want := `{"peer_id":"p","generated_at":"2026-12-01T12:00:00Z",` +
		`"capacities":{"r":{"i":{"ram":2},"j":{"cpu":{"x":3}},"k":{"ram":4}},"s":{}},` +
		`"schedule":{"r":[{"instance_id":"i","end":"2026-12-01T10:00:00Z","start":"2026-12-01T08:00:00Z"},` +
		`{"instance_id":"k","start":"2026-12-01T08:00:00Z","end":"2026-12-01T09:00:00Z","booking_id":"b-2"}]},` +
		`"warnings":["peer \"p\": instance \"i\" of resource \"r\" is offered by node \"n1\" and by \"n2\": what \"n1\" offers counts",` +
		`"peer \"p\": node \"n3\": bookings of resource \"r\" ignored, it has no capacities: 1"]}`
	if string(c.JSON) != want {
		t.Errorf("composed\n%s, want\n%s", c.JSON, want)
	}
	ref := planner.Ref{ResourceID: "r", InstanceID: "k"}
	if c.Nodes[ref] != "n2" || !offers["n2"].Has(ref) || offers["n1"].Has(ref) || offers["n3"].Has(ref) {
		t.Errorf("whose: %v", c.Nodes)
	}
	if c := compose(t, nil); string(c.JSON) != `{"peer_id":"p","generated_at":"2026-12-01T12:00:00Z","capacities":{},"schedule":{}}` {
		t.Errorf("of nobody: %s", c.JSON)
	}
	if _, err := offer.Compose("", noon, offers); err == nil {
		t.Error("a planner of nobody")
	}
}

// One node's offer is the same again when it is written and read.
func TestOffersComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := decode(t, drawTold(t).document(rapid.Bool().Draw(t, "spaces")))
		text, err := o.AppendText([]byte("x"))
		if err != nil {
			t.Fatal(err)
		}
		if again := decode(t, text[1:]); !slices.Equal(again.Refs(), o.Refs()) || len(o.Warnings()) == 0 && again.Digest() != o.Digest() {
			t.Fatalf("%s", text)
		}
	})
}

func TestWhatIsTooMuchIsLeftOut(t *testing.T) {
	t.Parallel()
	for what, documents := range map[string]map[string][]byte{
		"bytes":      {"a": long(0, 24), "b": long(24, 20), "c": long(44, 10), "d": long(24, 1)},
		"dimensions": {"a": varied(0, 40_000), "b": varied(40_000, 30_000), "c": varied(40_000, 9), "d": varied(0, 9)},
		"slots":      {"a": crowded(0), "b": crowded(1), "c": many(0, 1, 1), "d": crowded(0)},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			offers := map[string]*offer.Offer{}
			for node, document := range documents {
				offers[node] = decode(t, document)
			}
			c := compose(t, offers)
			out := []string{"b"}
			if what == "slots" { // what d has all counts as a's, but d's amounts would not
				out = []string{"b", "d"}
			}
			if !slices.Equal(c.LeftOut, out) || len(c.JSON) > offer.MaxBytes {
				t.Errorf("left out %v of %d bytes", c.LeftOut, len(c.JSON))
			}
			if w := c.Planner.Warnings(); len(w) == 0 || !strings.Contains(w[0], `node "b"`) || !strings.Contains(w[0], what) {
				t.Errorf("warnings %q", w)
			}
			checkWarnings(t, c)
			for ref, node := range c.Nodes {
				if !offers[node].Has(ref) || slices.Contains(out, node) {
					t.Errorf("%v is of %s", ref, node)
				}
			}
		})
	}
}

// TestOursGivesWay: bookings of ours leave out no node, however many there are; they are shown as far as there is room.
func TestOursGivesWay(t *testing.T) {
	t.Parallel()
	slots := strings.Repeat(fmt.Sprintf(`{"start":"2026-12-01T08:00:00Z","end":"2026-12-01T10:00:00Z","instance_id":"i","booking_id":%q},`, oursA), 20_000)
	full := func(node string) *offer.Offer {
		return decode(t, fmt.Appendf(nil, `{"capacities":{%q:{"i":{"ram":1}}},"schedule":{%q:[%s]}}`, node, node, slots[:len(slots)-1]))
	}
	offers := map[string]*offer.Offer{}
	for _, node := range []string{"a", "b", "c", "d"} {
		offers[node] = full(node)
	}
	c := compose(t, offers)
	_, shown := c.Planner.Counts()
	if len(c.LeftOut) > 0 || len(c.Nodes) != 4 || len(c.Planner.Warnings()) > 0 {
		t.Errorf("left out %v of %v, warnings %q", c.LeftOut, c.Nodes, c.Planner.Warnings())
	}
	if len(c.JSON) > offer.MaxBytes || len(c.JSON) < offer.MaxBytes-100_000 || shown+c.Hidden != 80_000 || c.Hidden == 0 {
		t.Errorf("%d bytes, %d slots and %d hidden", len(c.JSON), shown, c.Hidden)
	}
	if steps := c.Planner.Steps(); steps != 0 {
		t.Errorf("%d steps", steps)
	}
}

// long is a document of n instances that are each booked by somebody with 100 KB to say.
func long(first, n int) []byte {
	var capacities, slots []string
	for i := first; i < first+n; i++ {
		capacities = append(capacities, fmt.Sprintf(`"i%d":{"ram":1}`, i))
		slots = append(slots, fmt.Sprintf(`{"start":"2026-12-01T08:00:00Z","end":"2026-12-01T10:00:00Z","instance_id":"i%d","note":%q}`, i, strings.Repeat("x", 100_000)))
	}
	return fmt.Appendf(nil, `{"capacities":{"r":{%s}},"schedule":{"r":[%s]}}`, strings.Join(capacities, ","), strings.Join(slots, ","))
}

// varied is a document of one instance with n dimensions.
func varied(first, n int) []byte {
	amounts := make([]string, n)
	for i := range amounts {
		amounts[i] = fmt.Sprintf(`"d%05d":1`, first+i)
	}
	return fmt.Appendf(nil, `{"capacities":{"r":{"i%d-%d":{%s}}}}`, first, n, strings.Join(amounts, ","))
}

// crowded books all of 500 instances 1,500 times.
func crowded(resource int) []byte {
	slots := strings.Repeat(`{"start":"2026-12-01T08:00:00Z","end":"2026-12-01T10:00:00Z","usage":{}},`, 1500)
	capacities := make([]string, 500)
	for i := range capacities {
		capacities[i] = fmt.Sprintf(`"i%d":{"ram":1}`, i)
	}
	return fmt.Appendf(nil, `{"capacities":{"r%[1]d":{%[2]s}},"schedule":{"r%[1]d":[%[3]s]}}`, resource, strings.Join(capacities, ","), slots[:len(slots)-1])
}
