package check_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"oc-scheduler/store/access"
	"oc-scheduler/store/booking"
	"oc-scheduler/store/fault"
	"oc-scheduler/streams/check"
)

// silent fails the test when the stream has a frame to say. It must run in a synctest bubble.
func silent(t *testing.T, st *check.Stream) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if f, err := st.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("unexpected frame %s, %v", f.JSON, err)
	}
}

func status(t testing.TB, f check.Frame) string {
	t.Helper()
	var r struct{ Status any }
	if err := json.Unmarshal(f.JSON, &r); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(r.Status)
}

func TestFirstFrameThenEachChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(fixedNow)
		w.putWorkflow(t, "wf", 4, "p")
		st := w.open(t, "wf")
		silent(t, st) // nothing before a request
		st.Submit(hour())
		f := next(t, st)
		if status(t, f) != "unknown" || !f.Missing || !f.Stored.IsZero() {
			t.Errorf("first frame %s", f.JSON)
		}
		w.putPlanner(t, "p", 8)
		if f = next(t, st); status(t, f) != "available" || !f.Stored.Equal(nine.Add(8)) {
			t.Errorf("frame %s, stored %v", f.JSON, f.Stored)
		}
		w.PlannerChanged("p") // nothing new
		silent(t, st)
		st.Submit(hour()) // the same request: the first frame is due all the same
		if again := next(t, st); again.Version != f.Version {
			t.Errorf("version %s, want %s", again.Version, f.Version)
		}
		w.putPlanner(t, "p", 2)
		if f = next(t, st); status(t, f) != "unavailable" {
			t.Errorf("frame %s", f.JSON)
		}
		w.putPlanner(t, "p", -1)
		if f = next(t, st); status(t, f) != "unknown" {
			t.Errorf("frame %s", f.JSON)
		}
	})
}

func TestBurstsAreConflatedToTheNewest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(fixedNow)
		w.putWorkflow(t, "wf", 4, "p")
		st := w.open(t, "wf")
		st.Submit(hour())
		next(t, st)
		for free := range 100 { // while the carrier is busy writing
			w.putPlanner(t, "p", free)
		}
		if f := next(t, st); status(t, f) != "available" || !f.Stored.Equal(nine.Add(99)) {
			t.Errorf("not the newest: %s, %v", f.JSON, f.Stored)
		}
		silent(t, st)
	})
}

func TestWorkflowChangeMovesTheInterest(t *testing.T) {
	t.Parallel()
	w := newWorld(fixedNow)
	w.putWorkflow(t, "wf", 4, "p", "q")
	st := w.open(t, "wf")
	if got := w.watching(); len(got) > 0 {
		t.Errorf("watching %v before a request", got)
	}
	st.Submit(hour())
	next(t, st)
	w.putWorkflow(t, "wf", 4, "q", "r")
	next(t, st)
	if got := w.watching(); !slices.Equal(got, []string{"q", "r"}) || !slices.Equal(w.dropped, []string{"p"}) {
		t.Errorf("watching %v, dropped %v", got, w.dropped)
	}
	w.putPlanner(t, "r", 1)
	if f := next(t, st); !strings.Contains(string(f.JSON), `"missing_planners":["q"]`) {
		t.Errorf("a new peer's planner did not reach the stream: %s", f.JSON)
	}
	st.Close()
	if got := w.watching(); len(got) > 0 {
		t.Errorf("watching %v after Close", got)
	}
}

func TestRemovedWorkflowEndsTheStream(t *testing.T) {
	t.Parallel()
	w := newWorld(fixedNow)
	if _, err := w.service.Open(access.Anonymous, "wf"); !errors.Is(err, check.ErrUnknownWorkflow) {
		t.Errorf("Open of an unknown workflow: %v", err)
	}
	w.putWorkflow(t, "wf", 4, "p")
	st := w.open(t, "wf")
	st.Submit(hour())
	next(t, st)
	w.putWorkflow(t, "wf", 0)
	f := next(t, st)
	if f.Kind != check.Fault || status(t, f) != "404" {
		t.Errorf("frame %s", f.JSON)
	}
	for range 2 {
		if _, err := st.Next(t.Context()); !errors.Is(err, check.ErrWorkflowGone) {
			t.Errorf("Next after the end: %v", err)
		}
	}
	if got := w.watching(); len(got) > 0 {
		t.Errorf("still watching %v", got)
	}
}

func TestNotLoadedIsNotUnknown(t *testing.T) {
	t.Parallel()
	w := newWorld(fixedNow)
	w.loaded = false
	if _, err := w.service.Open(access.Anonymous, "wf"); !errors.Is(err, check.ErrNotLoaded) {
		t.Errorf("Open: %v", err)
	}
	if _, err := w.service.Once(access.Anonymous, "wf", hour()); !errors.Is(err, check.ErrNotLoaded) {
		t.Errorf("Once: %v", err)
	}
}

func TestFaultsLeaveTheStreamOpen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(fixedNow)
		w.putWorkflow(t, "wf", 4, "p")
		st := w.open(t, "wf")
		st.Refuse(fault.List{{Path: "$.start", Message: "bad"}})
		if f := next(t, st); f.Kind != check.Fault || string(f.JSON) != `{"type":"error","status":422,"title":"The request has faults","errors":[{"path":"$.start","message":"bad"}]}` {
			t.Errorf("frame %s", f.JSON)
		}
		st.Submit(booking.Request{Start: nine}) // no duration, and the workflow has none
		if f := next(t, st); f.Kind != check.Fault || status(t, f) != "422" {
			t.Errorf("frame %s", f.JSON)
		}
		w.putPlanner(t, "p", 1)
		silent(t, st) // the complaint is made once
		st.Submit(hour())
		if f := next(t, st); f.Kind != check.Result {
			t.Errorf("frame %s", f.JSON)
		}
		st.Refuse(fault.List{{Path: "$", Message: "bad"}})
		next(t, st)
		w.putPlanner(t, "p", 9) // the request before stays in force
		if f := next(t, st); status(t, f) != "available" {
			t.Errorf("frame %s", f.JSON)
		}
		w.putPlanner(t, "p", 1) // and what happens beside a complaint is told after it
		st.Refuse(fault.List{{Path: "$", Message: "bad"}})
		next(t, st)
		if f := next(t, st); status(t, f) != "unavailable" {
			t.Errorf("frame %s", f.JSON)
		}
	})
}

func TestMovingWindowIsEvaluatedEachMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(time.Now)
		w.putWorkflow(t, "wf", 4, "p")
		w.putPlanner(t, "p", 8)
		st := w.open(t, "wf")
		st.Submit(booking.Request{Duration: time.Hour})
		versions := map[string]bool{}
		begin := time.Now()
		for range 5 {
			versions[next(t, st).Version] = true
		}
		if took := time.Since(begin); took != 4*time.Minute || len(versions) != 5 {
			t.Errorf("5 frames in %v with %d versions", took, len(versions))
		}
		time.Sleep(20 * time.Second) // the fake clock's
		w.PlannerChanged("p")
		silent(t, st) // between the minutes the window stands still
		st.Submit(booking.Request{Start: time.Now(), Duration: time.Hour})
		next(t, st)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if f, err := st.Next(ctx); err == nil {
			t.Errorf("a fixed window moved: %s", f.JSON)
		}
	})
}

func TestWaitEndsWithAllPlannersOrTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(fixedNow)
		w.putWorkflow(t, "wf", 4, "p", "q")
		time.AfterFunc(time.Second, func() { w.putPlanner(t, "p", 8) })
		time.AfterFunc(2*time.Second, func() { w.putPlanner(t, "q", 8) })
		begin := time.Now()
		wait := func(d time.Duration) check.Frame {
			ctx, cancel := context.WithTimeout(t.Context(), d)
			defer cancel()
			f, err := w.service.Wait(ctx, access.Anonymous, "wf", hour(), nil)
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		if f := wait(1500 * time.Millisecond); status(t, f) != "unknown" || !strings.Contains(string(f.JSON), `"missing_planners":["q"]`) {
			t.Errorf("at the deadline: %s", f.JSON)
		}
		if f := wait(time.Minute); status(t, f) != "available" || time.Since(begin) != 2*time.Second {
			t.Errorf("after %v: %s", time.Since(begin), f.JSON)
		}
		if got := w.watching(); len(got) > 0 {
			t.Errorf("still watching %v", got)
		}
		if _, err := w.service.Wait(t.Context(), access.Anonymous, "wf", booking.Request{}, nil); err == nil {
			t.Error("a request without a duration was answered")
		}
	})
}

// TestEqualQuestionsAreEvaluatedOnce counts evaluations by the metric that every one of them bears.
func TestEqualQuestionsAreEvaluatedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(fixedNow)
	w.putWorkflow(t, "wf", 4, "p")
	w.putPlanner(t, "p", 8)
	var wg sync.WaitGroup
	frames := make(chan check.Frame, 200)
	for range 100 {
		st := w.open(t, "wf")
		wg.Go(func() {
			st.Submit(hour())
			for range 2 {
				f, err := st.Next(t.Context())
				if err != nil {
					t.Error(err)
				}
				if frames <- f; len(frames) == 100 {
					w.putPlanner(t, "p", 2)
				}
			}
		})
	}
	wg.Wait()
	metrics, err := w.registry.Gather()
	if err != nil || len(metrics) != 1 {
		t.Fatal(metrics, err)
	}
	if n := metrics[0].GetMetric()[0].GetHistogram().GetSampleCount(); n != 2 {
		t.Errorf("%d evaluations of 2 questions", n)
	}
	close(frames)
	first := map[string]*byte{}
	for f := range frames {
		if p, ok := first[f.Version]; ok && p != &f.JSON[0] {
			t.Error("a frame was encoded twice")
		}
		first[f.Version] = &f.JSON[0]
	}
}

// TestNewestStateAlwaysArrives: whatever happens in whatever order, a reader that keeps up sees the
// answer to the newest request on the newest state last.
func TestNewestStateAlwaysArrives(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(fixedNow)
		w.putWorkflow(t, "wf", 4, "p")
		st := w.open(t, "wf")
		defer st.Close()
		request := hour()
		st.Submit(request)
		var last check.Frame
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			switch rapid.IntRange(0, 4).Draw(rt, "step") {
			case 0:
				w.putPlanner(t, rapid.SampledFrom([]string{"p", "q"}).Draw(rt, "peer"), rapid.IntRange(-1, 8).Draw(rt, "free"))
			case 1:
				w.putWorkflow(t, "wf", rapid.IntRange(1, 8).Draw(rt, "units"), []string{"p", "q"}[:rapid.IntRange(1, 2).Draw(rt, "peers")]...)
			case 2:
				request.Duration = time.Duration(rapid.IntRange(1, 3).Draw(rt, "hours")) * time.Hour
				st.Submit(request)
			default:
				drainFrames(t, st, &last)
			}
		}
		drainFrames(t, st, &last)
		want, err := w.service.Once(access.Anonymous, "wf", request)
		if err != nil || last.Version != want.Version {
			rt.Fatalf("last frame %s, want %s, %v", last.JSON, want.JSON, err)
		}
	})
}

// TestWhoPollsIsWokenForWhatItHasNotSeen: of whatever kind it is, once, also when it happens in the Poll itself.
func TestWhoPollsIsWokenForWhatItHasNotSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(fixedNow)
	w.putWorkflow(t, "wf", 4, "p")
	st := w.open(t, "wf")
	defer st.Close()
	wakes := 0
	st.OnWake(func() { wakes++ })
	st.Submit(hour()) // before the first Poll there is nobody to wake
	var last check.Frame
	drainFrames(t, st, &last)
	if wakes != 0 {
		t.Errorf("woken %d times before it slept", wakes)
	}
	for what, happen := range map[string]func(){
		"a planner": func() { w.putPlanner(t, "p", 8); w.putPlanner(t, "p", 7) },
		"workflow":  func() { w.putWorkflow(t, "wf", 5, "p") },
		"a request": func() { st.Submit(hour()) },
	} {
		wakes = 0
		if happen(); wakes != 1 {
			t.Errorf("%s: woken %d times", what, wakes)
		}
		drainFrames(t, st, &last)
	}
	wakes = 0
	st.Refuse(fault.List{{Path: "$", Message: "bad"}})
	for n := range 2 {
		if _, ok, err := st.Poll(); ok != (n == 0) || err != nil || wakes != 2 {
			t.Errorf("after a complaint: poll %d is %t, %v, woken %d times", n, ok, err, wakes)
		}
	}
	wakes = 0
	w.putWorkflow(t, "wf", 0)
	if _, ok, err := st.Poll(); !ok || err != nil || wakes != 2 {
		t.Errorf("of a removed workflow: %t, %v, woken %d times", ok, err, wakes)
	}
	if _, _, err := st.Poll(); !errors.Is(err, check.ErrWorkflowGone) {
		t.Error(err)
	}
}

// drainFrames reads what there is to say now.
func drainFrames(t testing.TB, st *check.Stream, last *check.Frame) {
	t.Helper()
	for {
		f, ok, err := st.Poll()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return
		}
		*last = f
	}
}
