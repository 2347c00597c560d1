package logstream_test

import (
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/logstream"
)

// TestFewPermissionsAreEnough holds that a node publishes only below its own log subject, and the
// scheduler only on it, as the deployment allows them.
func TestFewPermissionsAreEnough(t *testing.T) {
	t.Parallel()
	allow := func(publish, subscribe string) *server.Permissions {
		return &server.Permissions{
			Publish:   &server.SubjectPermission{Allow: []string{publish}},
			Subscribe: &server.SubjectPermission{Allow: []string{subscribe}},
		}
	}
	s := natstest.Start(t, func(o *server.Options) {
		o.Users = []*server.User{
			{Username: "node", Password: "n", Permissions: allow("oc.compute.node-a.logs.>", "oc.compute.node-a.logs")},
			{Username: "scheduler", Password: "s", Permissions: allow("oc.compute.*.logs", "oc.compute.>")},
		}
	})
	files := newFiles(t, logstream.FilesConfig{})
	text := strings.Repeat("many lines\n", 200_000)
	finished(t, files, "ex", text)
	listen(t, logstream.ListenerConfig{Conn: s.Connect(t, nats.UserInfo("node", "n")), Server: files})
	reader := over(s.Connect(t, nats.UserInfo("scheduler", "s")))
	if got := readAll(t, open(t, reader, logstream.Request{ExecutionID: "ex"})); got != text {
		t.Errorf("read %d bytes of %d", len(got), len(text))
	}
}

// FuzzRequest holds that nothing that is sent to a node keeps it from serving others.
func FuzzRequest(f *testing.F) {
	for kind, body := range map[string]string{
		"LogOpen":   `{"execution_id":"ex","follow":true,"tail":2,"allowed":100000}`,
		"LogCredit": `{"allowed":1}`,
		"LogClose":  `{}`,
		"LogChunk":  `{"source":"stdout"}`,
	} {
		f.Add("stream00", frame(f, kind, 1, body))
	}
	f.Add("a.b.c.>", []byte{2})
	f.Add("line\r\nfeed", []byte("\x01\x00"))
	s := natstest.Start(f)
	files, err := logstream.NewFiles(f.TempDir(), logstream.FilesConfig{})
	if err != nil {
		f.Fatal(err)
	}
	nc := s.Connect(f)
	l, err := logstream.NewListener(logstream.ListenerConfig{Conn: nc, NodeID: node, Server: files})
	if err != nil {
		f.Fatal(err)
	}
	if err := l.Start(f.Context()); err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = l.Stop(f.Context()) })
	f.Fuzz(func(t *testing.T, stream string, body []byte) {
		marker := newHandReader(t, nc, "marker00")
		handReader{nc: nc, stream: stream}.say(t, body)
		marker.say(t, frame(t, "LogCredit", 0, `{}`))
		marker.hear(t, "LogEnd")
		if err := marker.sub.Unsubscribe(); err != nil {
			t.Error(err)
		}
	})
}
