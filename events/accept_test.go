package events

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"oc-scheduler/jet"
	"oc-scheduler/store/id"
)

func FuzzAccept(f *testing.F) {
	for _, data := range []string{
		`{"from_app":"oc-discovery","payload":{"action":"PB_PLANNER","payload":{"peer_id":"p","x":[{}]}}}`,
		`{"from_app":"oc-discovery","payload":"eyJhY3Rpb24iOiJQQl9QTEFOTkVSIiwicGF5bG9hZCI6eyJwZWVyX2lkIjoicCJ9fQ=="}`,
		`{"from_app":"x","payload":{"action":"PB_PLANNER","payload":{"peer_id":"p"}}}`,
		`{"datatype":"WORKFLOW","payload":{"id":"w"}}`, `{"datatype":"workflow","payload":"eyJpZCI6InciLA=="}`, `null`, ``,
	} {
		for subject := range byte(3) {
			f.Add(subject, []byte(data))
		}
	}
	subjects := []string{Propagation, CreateResource, RemoveResource}
	f.Fuzz(func(t *testing.T, subject byte, data []byte) {
		e, err := accept(subjects[int(subject)%len(subjects)], nil, data)
		var rejection *Rejection
		switch {
		case err == nil:
			named := e.kind == workflowRemoved || e.kind == plannerAsked
			if !named && len(e.payload) == 0 || named && id.Check(e.id) != nil {
				t.Errorf("accepted %+v", e)
			}
		case errors.As(err, &rejection):
			if rejection.Reason == "" || jet.Line(rejection.Detail) == "" {
				t.Errorf("rejected with %+v", rejection)
			}
		case !errors.Is(err, errSkipped):
			t.Errorf("error %v", err)
		}
	})
}

func TestRetryDelayGrowsAndIsBounded(t *testing.T) {
	t.Parallel()
	for cause, most := range map[error]time.Duration{
		errors.New("a fault"):                    maxDelay,
		fmt.Errorf("%w: no responders", ErrAway): time.Second,
	} {
		for range 1000 {
			var last time.Duration
			for _, attempt := range []uint64{0, 1, 2, 3, 8, 100, 1 << 60} {
				d := retryDelay(attempt, cause)
				if d < firstDelay/2 || d > most*6/5 || d < last/2 {
					t.Fatalf("delay of attempt %d = %v after %v: %v", attempt, d, last, cause)
				}
				last = d
			}
			if last < most/2 {
				t.Fatalf("delay stays at %v: %v", last, cause)
			}
		}
	}
}

func TestKeepAliveEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	newHolds().keepAlive(ctx, time.Hour)
}
