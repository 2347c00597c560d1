package run_test

import (
	"testing"
	"time"

	"oc-scheduler/store/execution"
	"oc-scheduler/store/run"
)

// command is a step that lasts so long and executes something.
func command(id, rest string) string { return step(id, `"command":["x"],`+rest) }

func TestStepsInTheirOrder(t *testing.T) {
	t.Parallel()
	w := decode(t, command("a", `"duration_s":10,"env":{"A":"b"}`)+","+step("b", `"duration_s":5`)+","+command("c", `"duration_s":10`)+","+compute("m", "n"),
		"a>b", "b>c", "a>m", "c>n", "c>m")
	s := begin(t, w, 60).is(run.Scheduled, "").looksAgain(0)
	s.on(-1, run.Due{}).is(run.Scheduled, "").looksAgain(0)
	s.on(0.25, run.Due{}).is(run.Starting, "").orders("+a/node-m#1").steps(run.Waiting, run.Waiting, run.Waiting)
	if o := s.out.Start[0].Order; o.Env["A"] != "b" || o.BookingID != "oc-1" || o.WorkflowID != "w" || o.Duration != 10*time.Second || o.Timeout != 29750*time.Millisecond {
		t.Errorf("%+v", o)
	}
	s.told(0.5, "a", "m", execution.Queued).is(run.Starting, "")
	s.told(1, "a", "m", execution.Running).is(run.Running, "").steps(run.Running, run.Waiting, run.Waiting)
	s.told(8, "a", "m", execution.Completed, 0).steps(run.Completed, run.Waiting, run.Waiting).looksAgain(10) // not before its interval
	s.due(12).steps(run.Completed, run.Running, run.Waiting).orders()
	s.due(15).steps(run.Completed, run.Completed, run.Waiting).orders("+c/node-m#1", "+c/node-n#1")
	s.told(16, "c", "n", execution.Completed, 0).steps(run.Completed, run.Completed, run.Running).frees()
	s.told(17, "c", "m", execution.Completed, 0).is(run.Completed, "").frees("m", "n").looksAgain(-1)
	if late := *s.r.LateS; late != 0.25 {
		t.Errorf("%v s late", late)
	}
	if !s.r.StartedAt.Equal(after(0.25)) || !s.r.EndedAt.Equal(after(17)) || !s.r.Steps[0].StartedAt.Equal(after(1)) {
		t.Errorf("%+v", s.r.Run)
	}
}

func TestLatenessIsThatOfTheFirstOrder(t *testing.T) {
	t.Parallel()
	s := begin(t, decode(t, command("a", `"duration_s":60`)+","+compute("m", "n"), "a>m", "a>n"), 60).on(0.25, run.Due{})
	for i, at := range []float64{0.5, 0.375} {
		node := s.r.Steps[0].Executions[i].NodeID
		s.on(1, run.Executed{ExecutionID: s.present("a", node).ExecutionID, NodeID: node, State: execution.Ordered, OrderedAt: after(at)})
		if *s.r.LateS != at {
			t.Errorf("%v s late, want %v", *s.r.LateS, at)
		}
	}
}

func TestFailuresAreTriedAgain(t *testing.T) {
	t.Parallel()
	s := begin(t, decode(t, command("a", `"duration_s":600,"retries":7`)+","+compute("n"), "a>n"), 600).on(0, run.Due{})
	at := 0.0
	for attempt, pause := range []float64{1, 2, 4, 8, 16, 30, 30} {
		s.told(at, "a", "n", execution.Running)
		s.told(at+1, "a", "n", execution.Failed, 3).is(run.Running, "").orders().looksAgain(at + 1 + pause)
		if at += 1 + pause; s.present("a", "node-n").Attempt != attempt+1 {
			t.Fatalf("%+v after attempt %d", s.r.Steps[0].Executions, attempt+1)
		}
		s.due(at)
		if len(s.out.Start) != 1 || s.out.Start[0].Order.Of.Attempt != attempt+2 {
			t.Fatalf("%+v after attempt %d", s.out.Start, attempt+1)
		}
	}
	s.told(at, "a", "n", execution.Failed, 3).is(run.Failed, "step failed: step a: on node-n: exit code 3").steps(run.Failed).frees("n").looksAgain(-1)
	seen := map[string]bool{}
	for _, x := range s.r.Steps[0].Executions {
		seen[x.ExecutionID] = true
	}
	if len(seen) != 8 {
		t.Errorf("%d names of 8 attempts", len(seen))
	}
}

func TestNoTimeToTryAgain(t *testing.T) {
	t.Parallel()
	s := begin(t, decode(t, command("a", `"duration_s":10,"retries":3`)+","+compute("n"), "a>n"), 10).on(0, run.Due{})
	s.told(9, "a", "n", execution.Failed, 3).is(run.Failed, "step failed: step a: on node-n: exit code 3; no time is left")
	s = begin(t, decode(t, command("a", `"duration_s":10,"retries":3`)+","+compute("n"), "a>n"), 60).on(0, run.Due{}).told(5, "a", "n", execution.Failed, 3)
	s.looksAgain(6).on(15, run.Due{}).is(run.Failed, "step failed: step a: on node-n: exit code 3; no time was left").orders()
}

func TestWhatIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	w := decode(t, command("a", `"duration_s":60,"retries":10`)+","+compute("n"), "a>n")
	id := run.ExecutionID("r-1", "a", "n", 1)
	for want, e := range map[string]run.Event{
		"refused: step a: on node-n: not listed":       run.Executed{ExecutionID: id, State: execution.Failed, Reason: "not listed", Word: run.Refused},
		"node lost: step a: on node-n: gone":           run.Executed{ExecutionID: id, State: execution.Failed, Reason: "gone", Word: run.NodeLost},
		"no node: step a: on node-n: not approved":     run.Unsendable{ExecutionID: id, Word: run.NoNode, Sentence: "not approved"},
		"refused: step a: on node-n: above 4 MiB":      run.Unsendable{ExecutionID: id, Word: run.Refused, Sentence: "above 4 MiB"},
		"cancelled: step a: on node-n: by an operator": run.Executed{ExecutionID: id, State: execution.Cancelled, Reason: "by an operator"},
	} {
		s := begin(t, w, 60).on(0, run.Due{}).on(1, e)
		state := run.Failed
		if word, _ := run.WordOf(want); word == run.ByRequest {
			state = run.Cancelled
		}
		s.is(state, want).steps(state).frees("n").looksAgain(-1)
	}
	s := begin(t, w, 60)
	delete(s.nodes, "n")
	s.on(0, run.Due{}).is(run.Failed, "no node: step a: nobody offers what is booked for n").orders().frees("n")
}

func TestOutOfTime(t *testing.T) {
	t.Parallel()
	w := decode(t, command("a", `"duration_s":10`)+","+command("b", `"duration_s":10`)+","+compute("m", "n"), "a>m", "b>n", "a>b")
	s := begin(t, w, 60).on(0, run.Due{}).told(1, "a", "m", execution.Running)
	s.due(10).is(run.Running, "").orders("-node-m").frees().looksAgain(13)
	s.told(10.5, "a", "m", execution.Cancelled).is(run.Failed, "out of time: step a: on node-m: the booking of m ended").steps(run.Failed, run.Cancelled).frees("n").looksAgain(-1)
	if s.present("a", "node-m").State != execution.Cancelled || s.out.Start != nil {
		t.Errorf("%+v", s.r.Steps[0].Executions)
	}

	late := begin(t, w, 60).on(15, run.Due{}) // within catch_up_s, but the first booking is over
	late.is(run.Failed, "out of time: step a: the booking of m ended before it could begin").orders()
}

// TestTheNodesWordAtTheEnd: when something was over counts, by the clock of NATS, not when that is told.
func TestTheNodesWordAtTheEnd(t *testing.T) {
	t.Parallel()
	w := decode(t, command("a", `"duration_s":10,"retries":3`)+","+compute("n"), "a>n")
	for _, late := range []float64{0, 0.5, 20, 1000} { // how late the end is looked at
		asked := func() *story {
			return begin(t, w, 60).on(0, run.Due{}).told(1, "a", "n", execution.Running).on(10+late, run.Due{}).is(run.Running, "").orders("-node-n").frees()
		}
		over := func(at float64, state execution.State, code int) *story {
			s := asked()
			return s.on(100+late, run.Executed{NodeID: "node-n", ExecutionID: s.present("a", "node-n").ExecutionID, State: state, OverAt: after(at), ExitCode: &code, Reason: "because"})
		}
		over(9, execution.Completed, 0).is(run.Completed, "")
		over(10, execution.Completed, 0).is(run.Completed, "")
		over(10.001, execution.Completed, 0).is(run.Failed, "out of time: step a: on node-n: the booking of n ended").frees()
		over(8, execution.Failed, 3).is(run.Failed, "step failed: step a: on node-n: because; no time is left to try again")
		over(10.1, execution.Failed, 143).is(run.Failed, "out of time")
		over(8, execution.Cancelled, 143).is(run.Cancelled, "cancelled: step a: on node-n: because")
		over(9.9, execution.Cancelled, 143).is(run.Failed, "out of time")             // by us, on a server whose clock is behind
		asked().told(11+late, "a", "n", execution.Completed, 0).is(run.Completed, "") // nobody knows when
		asked().due(129+late).is(run.Running, "").due(130+late).is(run.Failed, "out of time")
	}
	s := begin(t, w, 60).on(0, run.Due{}) // it is told before the end is looked at
	s.on(9.9, run.Executed{NodeID: "node-n", ExecutionID: s.present("a", "node-n").ExecutionID, State: execution.Completed, OverAt: after(10.1)})
	s.is(run.Failed, "out of time: step a: on node-n: the booking of n ended").looksAgain(-1)
}

// TestNobodyLooked: whoever was away when a wait ended gives the node as much time as it had before.
func TestNobodyLooked(t *testing.T) {
	t.Parallel()
	w := decode(t, command("a", `"duration_s":600`)+","+compute("n"), "a>n")
	running := func() *story { return begin(t, w, 600).on(0, run.Due{}).told(1, "a", "n", execution.Running) }
	lost := func() *story {
		return running().on(9, run.NodeSeen{NodeID: "node-n", AsOf: 2, LostAt: after(9)}).looksAgain(129)
	}
	lost().on(134, run.Due{}).is(run.Failed, "node lost")
	lost().on(200, run.Due{}).is(run.Running, "").looksAgain(320).told(201, "a", "n", execution.Completed, 0).is(run.Completed, "")
	lost().on(200, run.Due{}).on(210, run.NodeSeen{NodeID: "node-n", AsOf: 3}).looksAgain(600)
	lost().on(200, run.Due{}).due(320).is(run.Failed, "node lost: step a: on node-n: the node has been lost since 2026-12-01T12:00:09Z")
	running().on(2, run.Cancel{By: "u"}).on(300, run.Due{}).is(run.Running, "").due(419).is(run.Running, "").due(420).is(run.Cancelled, "cancelled")
	running().due(600).on(800, run.Due{}).is(run.Running, "").due(920).is(run.Failed, "out of time")

	s := begin(t, w, 600) // it was lost long before the run began: nobody has to look for it
	s.nodes["n"] = run.Node{ID: "node-n", AsOf: 7, LostAt: after(-3000)}
	s.on(0, run.Due{}).is(run.Failed, "node lost")
}

func TestAFailureCancelsWhatRunsBeside(t *testing.T) {
	t.Parallel()
	w := decode(t, command("a", `"duration_s":60`)+","+command("b", `"duration_s":60,"retries":2`)+","+step("c", `"duration_s":60`)+","+step("d", ``)+","+compute("m", "n", "o"),
		"a>m", "a>n", "b>o", "a>d")
	s := begin(t, w, 60).on(0, run.Due{}).orders("+a/node-m#1", "+a/node-n#1", "+b/node-o#1").is(run.Running, "") // c has begun
	s.told(1, "a", "n", execution.Running).told(1, "b", "o", execution.Failed, 1)
	s.told(1.5, "a", "m", execution.Failed, 7).is(run.Running, "").steps(run.Failed, run.Cancelled, run.Cancelled, run.Cancelled)
	s.orders("-node-n").frees("o")
	s.told(3, "a", "n", execution.Failed, 143).is(run.Failed, "step failed: step a: on node-m: exit code 7")
	s.steps(run.Failed, run.Cancelled, run.Cancelled, run.Cancelled).frees("m", "n")
}

func TestWithoutCommandStepsLastTheirTime(t *testing.T) {
	t.Parallel()
	w := decode(t, step("a", `"duration_s":10`)+","+step("b", `"duration_s":0.5`)+","+step("c", "")+","+compute("n"), "a>b", "b>c", "a>n")
	s := begin(t, w, 60).on(4, run.Due{}).is(run.Running, "").orders().looksAgain(10)
	s.due(10).steps(run.Completed, run.Running, run.Waiting).frees().looksAgain(10.5) // n is booked no longer
	s.due(10.5).is(run.Completed, "")
	begin(t, w, 60).on(30, run.Due{}).is(run.Completed, "") // as late as that it has nothing left to wait for
}

// TestNothingToDo: what takes no time and executes nothing was booked for its window, and lasts it.
func TestNothingToDo(t *testing.T) {
	t.Parallel()
	for _, items := range []string{compute("n"), compute("n") + "," + step("a", "")} {
		s := begin(t, decode(t, items), 60).on(0, run.Due{}).looksAgain(60).frees()
		s.due(59).frees().due(60).is(run.Completed, "").frees().looksAgain(-1)
	}
	begin(t, decode(t, compute("n")), 60).on(0, run.Due{}).on(5, run.Cancel{By: "u"}).is(run.Cancelled, "cancelled: by u").frees("n")
}

func TestBookingsEndWithTheirSteps(t *testing.T) {
	t.Parallel()
	w := decode(t, command("a", `"duration_s":10`)+","+command("b", `"duration_s":10`)+","+compute("l", "m", "n", "o")+`,"s":{"storage":{"id":"r","peer_id":"p"}}`,
		"a>m", "b>n", "a>b", "s>a", "s>b")
	s := begin(t, w, 60).on(0, run.Due{}).told(4, "a", "m", execution.Completed, 0).frees("m")
	if f := s.out.Free[0]; f.BookingID != "oc-1" || !f.From.Equal(after(4)) {
		t.Errorf("%+v", f)
	}
	s.due(10).told(15, "b", "n", execution.Completed, 0).is(run.Completed, "").frees("l", "n", "o", "s")
}

func TestTooLate(t *testing.T) {
	t.Parallel()
	w := decode(t, command("a", `"duration_s":500`)+","+compute("n"), "a>n")
	begin(t, w, 500).on(300, run.Due{}).is(run.Starting, "").orders("+a/node-n#1")
	begin(t, w, 500).on(300.5, run.Due{}).is(run.Missed, "not started in time: 5m0.5s after its time, and 5m0s are allowed").steps(run.Cancelled).frees("n").looksAgain(-1)
	strict := begin(t, w, 500)
	strict.r.Work.CatchUpS = 0 // no timer fires at its very time
	strict.on(0.9, run.Due{}).is(run.Starting, "")
	strict = begin(t, w, 500)
	strict.r.Work.CatchUpS = 0
	strict.on(1.1, run.Due{}).is(run.Missed, "not started in time: 1.1s after its time, and 0s are allowed")
	short := decode(t, command("a", `"duration_s":5`)+","+compute("n"), "a>n")
	begin(t, short, 5).on(5, run.Due{}).is(run.Missed, "window over: it ended at 2026-12-01T12:00:05Z").frees()
}
