package httpapi_test

import (
	"bytes"
	_ "embed"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	bus "oc-scheduler/events"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

func TestAsyncAPIDocumentIsValid(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/asyncapi/schema-3.0.0.json")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("asyncapi", schema); err != nil {
		t.Fatal(err)
	}
	valid, err := c.Compile("asyncapi")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(asyncDocument))
	if err != nil {
		t.Fatal(err)
	}
	if err := valid.Validate(doc); err != nil {
		t.Error(err)
	}
	api, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	for ref := range refsIn(doc) {
		name, pointer, _ := strings.Cut(ref, "#")
		if stands := map[string]any{"": doc, "openapi.json": api}[name]; pointed(stands, pointer) == nil {
			t.Errorf("there is no %s", ref)
		}
	}
	s := newBareSite(t, defaults)
	got := s.do(t, http.MethodGet, "/asyncapi.json", "").ok(t, http.StatusOK)
	if !bytes.Equal(got.body, asyncDocument) {
		t.Error("another document is served")
	}
}

// refsIn are all references within a document.
func refsIn(v any) map[string]bool {
	found := map[string]bool{}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				found[ref] = true
			}
			for _, member := range v {
				walk(member)
			}
		case []any:
			for _, item := range v {
				walk(item)
			}
		}
	}
	walk(v)
	return found
}

// pointed is what a JSON pointer leads to; nil: nothing.
func pointed(v any, pointer string) any {
	for _, step := range strings.Split(pointer, "/")[1:] {
		members, _ := v.(map[string]any)
		v = members[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
	}
	return v
}

// TestExamplesOfMessages holds that each is what it is an example of, and that what others send is taken as it stands.
func TestExamplesOfMessages(t *testing.T) {
	t.Parallel()
	d, err := talked()
	if err != nil {
		t.Fatal(err)
	}
	example := func(message string) []byte { return d.Components.Messages[message].Examples[0].Payload }
	for name, m := range d.Components.Messages {
		if len(m.Examples) == 0 {
			t.Errorf("%s has no example", name)
			continue
		}
		d.is(t, name, example(name))
	}
	envelope := func(message string) bus.Envelope {
		e, err := bus.DecodeEnvelope(example(message))
		if err != nil {
			t.Errorf("%s: %v", message, err)
		}
		return e
	}
	propagated, err := bus.DecodePropagated(envelope("plannerTold").Payload)
	if err != nil || propagated.Action != bus.ActionPlanner || envelope("plannerTold").FromApp != bus.FromDiscovery {
		t.Errorf("%+v, %v", propagated, err)
	}
	if p, err := planner.Decode(propagated.Payload, nil); err != nil || p.PeerID() != "peer-a" {
		t.Errorf("%+v, %v", p, err)
	}
	if e := envelope("workflowChanged"); e.Datatype != bus.DatatypeWorkflow {
		t.Errorf("%+v", e)
	} else if _, err := workflow.Decode(e.Payload); err != nil {
		t.Error(err)
	}
	s := newSite(t, defaults)
	s.put(t, "align", 8).ok(t, http.StatusCreated)
	conn := s.dial(t, "/oc/align/check", nil)
	send(t, conn, string(example("checkRequest")))
	if got := receive(t, conn); got["type"] != "result" {
		t.Errorf("%v", got)
	}
}

// TestMessagesOfTheBus holds what the fleet says there against the document.
func TestMessagesOfTheBus(t *testing.T) {
	t.Parallel()
	d, err := talked()
	if err != nil {
		t.Fatal(err)
	}
	var subjects []string
	for _, c := range d.Channels {
		subjects = append(subjects, c.Address)
	}
	s := newSite(t, defaults)
	if _, err := bus.OpenBus(t.Context(), s.js, 1); err != nil {
		t.Fatal(err)
	}
	e := bus.NewEmitter(s.js)
	for message, say := range map[string]func() error{
		"plannerRequested": func() error { return e.RequestPlanner(t.Context(), "p") },
		"plannerClosed":    func() error { return e.ClosePlanner(t.Context(), "p", "1") },
		"plannerComposed":  func() error { return e.AnswerPlanner(t.Context(), []byte(`{"peer_id":"p"}`), "2") },
		"bookingMade":      func() error { return e.Created(t.Context(), bus.DatatypeBooking, []string{"g"}, []byte("{}"), "3") },
		"runTold":          func() error { return e.Created(t.Context(), bus.DatatypeExecution, nil, []byte("{}"), "4") },
		"bookingEnded":     func() error { return e.Removed(t.Context(), bus.DatatypeBooking, nil, []byte("{}"), "5") },
	} {
		if err := say(); err != nil {
			t.Fatal(err)
		}
		stream, err := s.js.Stream(t.Context(), bus.Stream)
		if err != nil {
			t.Fatal(err)
		}
		m, err := stream.GetMsg(t.Context(), stream.CachedInfo().State.LastSeq)
		if err != nil || !slices.Contains(subjects, m.Subject) {
			t.Fatal(m, err)
		}
		d.is(t, message, m.Data)
	}
}
