package run_test

import (
	"math"
	"testing"

	"oc-scheduler/store/execution"
	"oc-scheduler/store/run"
)

func TestCancel(t *testing.T) {
	t.Parallel()
	w := decode(t, command("a", `"duration_s":600`)+","+compute("m", "n"), "a>m", "a>n")
	begin(t, w, 600).on(-5, run.Cancel{By: "token:u"}).is(run.Cancelled, "cancelled: by token:u").frees("m", "n").looksAgain(-1)

	s := begin(t, w, 600).on(0, run.Due{}).told(1, "a", "m", execution.Running).told(1, "a", "n", execution.Running)
	s.on(2, run.Cancel{By: "token:u", Reason: "wrong input"}).is(run.Running, "").orders("-node-m", "-node-n")
	s.on(2, run.Cancel{By: "token:v"}).orders()
	s.told(3, "a", "m", execution.Cancelled).is(run.Running, "")
	s.told(4, "a", "n", execution.Failed, 143).is(run.Cancelled, "cancelled: wrong input").steps(run.Cancelled).frees("m", "n")
	if it := s.out.History[len(s.out.History)-1]; it.By != "token:u" || it.Kind != run.OfRun {
		t.Errorf("%+v", it)
	}

	done := begin(t, w, 600).on(0, run.Due{}).on(1, run.Cancel{By: "u"}) // the node was faster
	done.told(2, "a", "m", execution.Completed, 0).told(3, "a", "n", execution.Completed, 0).is(run.Completed, "")

	silent := begin(t, w, 600).on(0, run.Due{}).on(1, run.Cancel{By: "u"}).due(120).is(run.Starting, "")
	silent.due(121).is(run.Cancelled, "cancelled: by u").frees("m", "n")

	silent.looksAgain(154).on(130, run.Unsendable{ExecutionID: silent.present("a", "node-m").ExecutionID, End: true}).looksAgain(154)
	silent.on(130, run.Unsendable{ExecutionID: silent.present("a", "node-n").ExecutionID, End: true}).looksAgain(-1)

	displaced := begin(t, w, 600).on(0, run.Due{}).on(1, run.Displace{By: "token:v", Reason: "by schedule s-2"})
	displaced.on(2, run.Unsendable{ExecutionID: displaced.present("a", "node-m").ExecutionID, End: true}).on(2, run.Unsendable{ExecutionID: displaced.present("a", "node-n").ExecutionID, End: true})
	displaced.is(run.Cancelled, "displaced: by schedule s-2").looksAgain(-1)
}

func TestALostNode(t *testing.T) {
	t.Parallel()
	w := decode(t, command("a", `"duration_s":600,"retries":3`)+","+compute("n"), "a>n")
	lost := func() *story {
		return begin(t, w, 600).on(0, run.Due{}).told(1, "a", "n", execution.Running).
			on(10, run.NodeSeen{NodeID: "node-n", AsOf: 3, LostAt: after(9)}).looksAgain(129)
	}
	lost().due(128).is(run.Running, "").due(129).is(run.Failed, "node lost: step a: on node-n: the node has been lost since").orders("-node-n").frees("n")
	lost().told(100, "a", "n", execution.Completed, 0).is(run.Completed, "")
	lost().on(100, run.NodeSeen{NodeID: "node-n", AsOf: 4}).looksAgain(600).on(101, run.NodeSeen{NodeID: "node-n", AsOf: 3, LostAt: after(9)}).looksAgain(600)
	lost().on(60, run.Cancel{By: "u"}).is(run.Cancelled, "cancelled: by u").orders("-node-n")

	back := lost().due(129).told(200, "a", "n", execution.Completed, 0).is(run.Failed, "node lost").orders()
	if x := back.present("a", "node-n"); x.State != execution.Completed || *x.ExitCode != 0 {
		t.Errorf("what the node has told in the end is not shown: %+v", x)
	}

	short := begin(t, decode(t, command("a", `"duration_s":20`)+","+compute("n"), "a>n"), 20).on(0, run.Due{})
	short.on(10, run.NodeSeen{NodeID: "node-n", AsOf: 2, LostAt: after(9)}).due(20).is(run.Starting, "").orders("-node-n").due(129).is(run.Failed, "out of time")

	s := begin(t, w, 600) // it is lost already when the run begins
	s.nodes["n"] = run.Node{ID: "node-n", AsOf: 7, LostAt: after(-30)}
	s.on(0, run.Due{}).orders("+a/node-n#1").looksAgain(3).due(90).is(run.Failed, "node lost")
}

func TestOrdersGoOutUntilTheyCome(t *testing.T) {
	t.Parallel()
	w := decode(t, command("a", `"duration_s":6000`)+","+compute("n"), "a>n")
	s := begin(t, w, 6000).on(0, run.Due{}).orders("+a/node-n#1")
	name := s.out.Start[0].Order.ExecutionID
	for _, at := range []float64{3, 13, 33, 73, 153, 313, 613} {
		s.on(math.Nextafter(at, 0)-1e-6, run.Due{}).orders().looksAgain(at)
		s.on(at, run.Due{}).orders("+a/node-n#1")
		if s.out.Start[0].Order.ExecutionID != name {
			t.Fatal("it goes out under another name")
		}
	}
	s.told(920, "a", "n", execution.Ordered).looksAgain(6000)
	s.on(1000, run.Cancel{By: "u"}).orders("-node-n").looksAgain(1003).on(1003, run.Due{}).orders("-node-n").looksAgain(1013)
	s.on(1011, run.Sent{ExecutionIDs: []string{name, "x-other"}}).orders().looksAgain(1120)
}

// TestStrays: executions that turn up after they were given up are ended.
func TestStrays(t *testing.T) {
	t.Parallel()
	w := decode(t, command("a", `"duration_s":600`)+","+compute("n"), "a>n")
	s := begin(t, w, 600).on(0, run.Due{}).on(1, run.Cancel{By: "u"})
	name := s.present("a", "node-n").ExecutionID
	s.on(2, run.Unsendable{ExecutionID: name, End: true}).is(run.Cancelled, "cancelled").looksAgain(-1) // nobody has it
	s.told(3, "a", "n", execution.Ordered).orders("-node-n").looksAgain(6)
	s.told(3, "a", "n", execution.Ordered).orders()
	s.on(4, run.Sent{ExecutionIDs: []string{name}}).looksAgain(-1).told(5, "a", "n", execution.Cancelled).orders().looksAgain(-1)
}

// TestAStartThatCouldNotBeSent, told late or again, gives nothing up that is to end: its node may have it.
func TestAStartThatCouldNotBeSent(t *testing.T) {
	t.Parallel()
	w := decode(t, command("a", `"duration_s":600`)+","+compute("n"), "a>n")
	s := begin(t, w, 600).on(0, run.Due{})
	name := s.present("a", "node-n").ExecutionID
	start := run.Unsendable{ExecutionID: name, Word: run.NoNode, Sentence: "not approved"}
	stop := run.Unsendable{ExecutionID: name, End: true, Word: run.NoNode, Sentence: "it was never ordered"}
	s.told(1, "a", "n", execution.Running).on(1, start).is(run.Running, "").on(1, stop).is(run.Running, "")
	s.on(2, run.Cancel{By: "u"}).orders("-node-n").on(3, start).is(run.Running, "").looksAgain(5)
	s.told(4, "a", "n", execution.Cancelled).is(run.Cancelled, "cancelled: by u").looksAgain(-1)

	stray := begin(t, w, 600).on(0, run.Due{}).on(1, start).is(run.Failed, "no node") // it has come all the same
	stray.told(2, "a", "n", execution.Running).orders("-node-n").looksAgain(5).on(3, start).looksAgain(5)
	stray.on(3, stop).looksAgain(-1)
}

func TestAClockThatIsBehindChangesNoOrder(t *testing.T) {
	t.Parallel()
	w := decode(t, command("a", `"duration_s":60`)+","+compute("n"), "a>n")
	s := begin(t, w, 60).on(5, run.Due{}).told(3, "a", "n", execution.Running).told(4, "a", "n", execution.Completed, 0).is(run.Completed, "")
	if !s.r.EndedAt.Equal(after(5)) {
		t.Errorf("ended at %v", s.r.EndedAt)
	}
}
