package doctor_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/doctor"
)

func TestForeignStreams(t *testing.T) {
	t.Parallel()
	w := newServer(t)
	for _, cfg := range []jetstream.StreamConfig{
		{Name: "KV_workflows", Subjects: []string{"$KV.workflows.>"}, MaxMsgsPerSubject: 5, AllowDirect: true},
		{Name: "OC_BUS_DEAD", Subjects: []string{"oc.dead.>"}, MaxAge: time.Hour},
		{Name: "THEIRS", Subjects: []string{"CREATE_RESOURCE"}},
	} {
		if _, err := w.js.CreateStream(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
	}
	found := doctor.Run(t.Context(), w.cfg)
	want(t, found, doctor.Fail, "streams", "KV_workflows", "max_msgs_per_subject is 5, must be 1")
	want(t, found, doctor.Fail, "streams", "OC_BUS_DEAD", "max_age is 1h0m0s, must be 720h0m0s")
	want(t, found, doctor.Fail, "streams", "OC_BUS cannot be made", "stream THEIRS captures CREATE_RESOURCE")
	want(t, found, doctor.Fail, "streams", "OC_BUS cannot be made", "not there: KV_executions")
	for _, f := range found {
		if f.Check == "streams" && f.Level == doctor.OK {
			t.Errorf("%s", f.What)
		}
	}
}

func TestReplicationThatIsAskedFor(t *testing.T) {
	t.Parallel()
	w := admit(t)
	w.cfg.Copies = 3
	want(t, doctor.Run(t.Context(), w.cfg), doctor.Fail, "streams", "KV_planners", "num_replicas (--js-replicas) is 1, must be 3")
}
