package doctor_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/events"
	"oc-scheduler/internal/doctor"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/histories"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/planner"
	"oc-scheduler/streams/orchestrator"
)

// buckets is how many streams the store needs, streams how many a replica needs in all.
var (
	buckets = len(store.Expect(1))
	streams = buckets + len(events.Expect(1)) + len(orchestrator.Expect(1)) + len(histories.Expect(1))
)

// TestTheHealthy holds that all is found well, and that the examination left no trace.
func TestTheHealthy(t *testing.T) {
	t.Parallel()
	w := admit(t)
	w.staff(t)
	raw := []byte(plannerJSON("peer-a", time.Now()))
	pl, err := planner.Decode(raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.st.Planners.Apply(t.Context(), raw, pl, origin.Source{Seq: 1, Time: time.Now(), Bus: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if err := w.st.Interest.Add(t.Context(), "peer-a", "r1"); err != nil {
		t.Fatal(err)
	}
	var heard atomic.Int64
	listener := w.srv.Connect(t)
	for _, subject := range []string{"PROPALGATION_EVENT", "oc.>", "$KV.>", "$JS.ACK.>"} {
		if _, err := listener.Subscribe(subject, func(m *nats.Msg) {
			if !strings.HasPrefix(m.Subject, "$JS.ACK") { // the planner's end durable reads on
				heard.Add(1)
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := listener.Flush(); err != nil {
		t.Fatal(err)
	}
	before := w.state(t)
	w.cfg.Settling = 0 // as in real life

	found := doctor.Run(t.Context(), w.cfg)

	if len(found) < 15 || doctor.Worst(found) != doctor.OK {
		t.Errorf("findings:\n%s", list(found))
	}
	want(t, found, doctor.OK, "leases", "1 replica", "r1 v1")
	want(t, found, doctor.OK, "interest", "1 peer")
	want(t, found, doctor.OK, "streams", fmt.Sprintf("%d streams", streams))
	if after := w.state(t); after != before {
		t.Errorf("it was\n%s\nand is\n%s", before, after)
	}
	if err := listener.Flush(); err != nil {
		t.Fatal(err)
	}
	if n := heard.Load(); n > 0 {
		t.Errorf("%d messages were heard", n)
	}
}

// state is what an examination might have changed.
func (w *ward) state(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	streams := w.js.ListStreams(t.Context())
	for info := range streams.Info() {
		fmt.Fprintf(&b, "%s: last %d, %d consumers, created %v\n", info.Config.Name, info.State.LastSeq, info.State.Consumers, info.Created)
	}
	if err := streams.Err(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestTheNew holds for a server that no replica has seen: nothing of it is a failure.
func TestTheNew(t *testing.T) {
	t.Parallel()
	w := newServer(t)
	found := doctor.Run(t.Context(), w.cfg)
	want(t, found, doctor.Warn, "streams", "not there", fmt.Sprintf("%d more", streams-5))
	if doctor.Worst(found) == doctor.Fail {
		t.Errorf("findings:\n%s", list(found))
	}
	if after := w.state(t); after != "" {
		t.Errorf("it made %s", after)
	}
}

func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	w := newServer(t)
	w.srv.Stop()
	w.cfg.URLs = []string{strings.Replace(w.srv.URL(), "nats://", "nats://user:s3cret@", 1), "nats://127.0.0.1:1"}
	w.cfg.Replica = "127.0.0.1:1"
	found := doctor.Run(t.Context(), w.cfg)
	for _, url := range []string{w.srv.URL(), "nats://127.0.0.1:1"} {
		want(t, found, doctor.Fail, "nats", url)
	}
	want(t, found, doctor.Fail, "replica", "127.0.0.1:1")
	want(t, found, doctor.Unknown, "fsync")
	if strings.Contains(list(found), "s3cret") {
		t.Errorf("the password shows:\n%s", list(found))
	}
}

// TestASilentServer is not waited for without end.
func TestASilentServer(t *testing.T) {
	t.Parallel()
	w := admit(t)
	proxy := natstest.StartProxy(t, w.srv.Addr())
	w.cfg.URLs = []string{proxy.URL()}
	proxy.Hold() // connections are accepted, and nothing is ever said
	found := doctor.Run(t.Context(), w.cfg)
	want(t, found, doctor.Fail, "nats", proxy.Addr())
}

// TestSomebodyElseAnswers holds for a web server that is no replica: here, the monitoring of NATS.
func TestSomebodyElseAnswers(t *testing.T) {
	t.Parallel()
	w := admit(t)
	w.cfg.Replica = w.cfg.Monitors[0]
	want(t, doctor.Run(t.Context(), w.cfg), doctor.Fail, "replica", w.cfg.Replica, "404")
}
