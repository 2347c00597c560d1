package jet

import (
	"cmp"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
)

// events makes a stream, S unless it has a name, with as many messages as it is to have.
func events(t *testing.T, nc *nats.Conn, c jetstream.StreamConfig, messages int) jetstream.Stream {
	t.Helper()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	c.Name = cmp.Or(c.Name, "S")
	c.Subjects = []string{c.Name + ".>"}
	stream, err := js.CreateStream(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for range messages {
		if _, err := js.Publish(t.Context(), c.Name+".x", []byte("event")); err != nil {
			t.Fatal(err)
		}
	}
	return stream
}

// TestALookTellsOfAStreamThatTakesWrites holds that its answer is understood, and that nothing goes: whether
// it has messages, never had or has no more, alone or in a cluster.
func TestALookTellsOfAStreamThatTakesWrites(t *testing.T) {
	t.Parallel()
	alone := natstest.Start(t)
	cluster := natstest.StartCluster(t, 3)
	for name, try := range map[string]struct {
		nc       *nats.Conn
		copies   int
		messages int
		purge    bool
	}{
		"empty":               {alone.Connect(t), 1, 0, false},
		"filled":              {alone.Connect(t), 1, 3, false},
		"purged":              {alone.Connect(t), 1, 3, true},
		"one copy of many":    {cluster.Connect(t), 1, 3, false},
		"three copies":        {cluster.Connect(t), 3, 3, false},
		"three copies, empty": {cluster.Connect(t), 3, 0, false},
	} {
		of := strings.NewReplacer(" ", "-", ",", "").Replace(name) // a server of a cluster removes an earlier one of the same name late
		stream := events(t, try.nc, jetstream.StreamConfig{Name: of, Replicas: try.copies}, try.messages)
		if try.purge {
			if err := stream.Purge(t.Context()); err != nil {
				t.Fatal(err)
			}
			try.messages = 0
		}
		if told, err := removeNothing(t.Context(), try.nc, of); !told || err != nil {
			t.Errorf("%s: %v %v", name, told, err)
		}
		if info, err := stream.Info(t.Context()); err != nil || info.State.Msgs != uint64(try.messages) || info.State.NumDeleted != 0 {
			t.Errorf("%s: %+v %v", name, info, err)
		}
	}
}

// TestALookThatTellsNothing holds that what says nothing of writes is not taken for a stream that is shut.
func TestALookThatTellsNothing(t *testing.T) {
	t.Parallel()
	deny := &server.SubjectPermission{Deny: []string{"$JS.API.STREAM.MSG.DELETE.>"}}
	srv := natstest.Start(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "free", Password: "pw"}, {Username: "barred", Password: "pw", Permissions: &server.Permissions{Publish: deny}}}
	})
	nc := srv.Connect(t, nats.UserInfo("free", "pw"))
	if told, err := removeNothing(t.Context(), nc, "S"); told || err == nil {
		t.Errorf("no such stream: %v %v", told, err)
	}
	events(t, nc, jetstream.StreamConfig{DenyDelete: true}, 1)
	if told, err := removeNothing(t.Context(), nc, "S"); told || err == nil {
		t.Errorf("a stream from which nothing may be removed: %v %v", told, err)
	}
	if told, err := removeNothing(t.Context(), srv.Connect(t, nats.UserInfo("barred", "pw")), "S"); told || !late(err) {
		t.Errorf("who may not ask: %v %v", told, err)
	}
}

// TestASealedStream holds that one which an operator has closed takes nothing either.
func TestASealedStream(t *testing.T) {
	t.Parallel()
	nc := natstest.Start(t).Connect(t)
	stream := events(t, nc, jetstream.StreamConfig{}, 1)
	c := stream.CachedInfo().Config
	c.Sealed = true
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.UpdateStream(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if told, err := removeNothing(t.Context(), nc, "S"); !told || !refuses(err) {
		t.Errorf("%v %v", told, err)
	}
}
