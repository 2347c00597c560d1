package booking_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

var update = flag.Bool("update", false, "rewrite the results in the golden files")

// golden is one file of testdata/results: a question and the answer that clients see.
type golden struct {
	About    string            `json:"about"`
	Now      time.Time         `json:"now"`
	Workflow json.RawMessage   `json:"workflow"`
	Planners []json.RawMessage `json:"planners"`
	Bookings []goldenBooking   `json:"bookings,omitempty"`
	Request  json.RawMessage   `json:"request"`
	Result   json.RawMessage   `json:"result"`
}

// goldenBooking is a booking of ours on one instance.
type goldenBooking struct {
	ID          string    `json:"id"`
	Owner       string    `json:"owner"`
	Preemptible bool      `json:"preemptible"`
	PeerID      string    `json:"peer_id"`
	ResourceID  string    `json:"resource_id"`
	InstanceID  string    `json:"instance_id"`
	Start       time.Time `json:"start"`
	End         time.Time `json:"end"`
	Usage       amounts   `json:"usage,omitempty"`
}

func (g golden) overlay(peerID string) *planner.Overlay {
	var o *planner.Overlay
	for _, b := range g.Bookings {
		if b.PeerID == peerID {
			s := slot{start: int(b.Start.Sub(epoch)), end: int(b.End.Sub(epoch)), usage: b.Usage}
			o = o.With(planner.Ref{ResourceID: b.ResourceID, InstanceID: b.InstanceID}, b.ID, []planner.Slot{s.booked(b.ID, ours{owner: b.Owner, yields: b.Preemptible})})
		}
	}
	return o
}

func TestGoldenResults(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/results/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var g golden
			if err := json.Unmarshal(data, &g); err != nil {
				t.Fatal(err)
			}
			got := g.answer(t)
			if *update {
				g.Result = got
				write(t, file, g)
				return
			}
			if want := indent(t, g.Result); !bytes.Equal(indent(t, got), want) {
				t.Errorf("%s\ngot  %s\nwant %s", g.About, indent(t, got), want)
			}
		})
	}
}

func (g golden) answer(t *testing.T) []byte {
	t.Helper()
	w, err := workflow.Decode(g.Workflow)
	if err != nil {
		t.Fatal(err)
	}
	planners := map[string]*planner.Planner{}
	for _, raw := range g.Planners {
		p, err := planner.Decode(raw, nil)
		if err != nil {
			t.Fatal(err)
		}
		planners[p.PeerID()] = p
	}
	request, err := booking.DecodeRequest(g.Request)
	if err != nil {
		t.Fatal(err)
	}
	window, err := request.Resolve(w, g.Now)
	if err != nil {
		t.Fatal(err)
	}
	state := booking.Look(w, func(peerID string) (*planner.Planner, *planner.Overlay) { return planners[peerID], g.overlay(peerID) })
	p, err := state.Problem(request.Selected, func(p *planner.Planner, o *planner.Overlay) *planner.Index { return planner.NewIndex(p).With(o) })
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Answer(state.Inputs(request.Selected), window, g.Now)
	if err != nil {
		t.Fatal(err)
	}
	return r.JSON()
}

func indent(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func write(t *testing.T, file string, g golden) {
	t.Helper()
	data, err := json.MarshalIndent(g, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(data, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}
