package httpapi_test

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"

	"oc-scheduler/httpapi"
	"oc-scheduler/store/access"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
	"oc-scheduler/streams"
	"oc-scheduler/streams/check"
)

// brittle is a state that breaks when a planner is read.
type brittle struct{ workflow *workflow.Workflow }

func (brittle) Loaded() bool                                       { return true }
func (b brittle) Workflow(string) (*workflow.Workflow, bool)       { return b.workflow, true }
func (brittle) Planner(string) (*planner.Planner, time.Time, bool) { panic("no such luck") }
func (brittle) Bookings(string) *planner.Overlay                   { return nil }
func (brittle) Hidden(*access.Subject, []string) []string          { return nil }
func (brittle) Watch([]string) (release func())                    { return func() {} }

func TestPanicsInStreams(t *testing.T) {
	t.Parallel()
	s := newBareSite(t, defaults)
	s.log.allow("panic")
	w, err := workflow.Decode([]byte(sampleWorkflow("w", 1)))
	if err != nil {
		t.Fatal(err)
	}
	state := brittle{w}
	s.Attach(httpapi.Parts{Checks: check.NewService(state, streams.NewHub(nil), state, nil, time.Now)})

	if code, _ := closed(t, s.dial(t, "/oc/w/check"+inDecember, nil)); code != websocket.StatusInternalError {
		t.Errorf("code is %d", code)
	}
	if v, err := s.listen(t, "/oc/w/check"+inDecember).next(); !errors.Is(err, io.EOF) {
		t.Errorf("an event stream goes on with %v, %v", v, err)
	}
	s.do(t, http.MethodGet, "/oc/w/check"+inDecember, "").problem(t, http.StatusInternalServerError)
	s.do(t, http.MethodPost, "/oc/w/check?wait=1s", asked).problem(t, http.StatusInternalServerError)
	s.counts(t, "oc_scheduler_streams_open", `
# HELP oc_scheduler_streams_open Streams open now, of answers and of output.
# TYPE oc_scheduler_streams_open gauge
oc_scheduler_streams_open{carrier="sse"} 0
oc_scheduler_streams_open{carrier="wait"} 0
oc_scheduler_streams_open{carrier="websocket"} 0
`)
}
