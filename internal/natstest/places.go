package natstest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// awaitPlaces waits until the meta leader would place streams on all servers. It calls the cluster
// healthy a moment before it knows them all and has heard what they can store: the stream of a test
// would find "no suitable peers".
func (c *Cluster) awaitPlaces(tb testing.TB) {
	tb.Helper()
	js, err := jetstream.New(c.Connect(tb))
	if err != nil {
		tb.Fatalf("natstest: %v", err)
	}
	Eventually(tb, "streams find places", func() bool {
		leader := c.leader((*Server).metaLeaderSeen)
		return leader != nil && leader.followers() == len(c.Servers)-1 && wouldPlace(tb, js)
	})
}

// wouldPlace asks for a stream where no server is, and says whether that alone is what the leader has
// against each. A stream that is made and deleted would leave its traces: the server removes empty
// directories while the next stream is made there.
func wouldPlace(tb testing.TB, js jetstream.JetStream) bool {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), time.Second)
	defer cancel()
	_, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "nowhere", Placement: &jetstream.Placement{Tags: []string{"nowhere"}}})
	var refused *jetstream.APIError
	return errors.As(err, &refused) && strings.Contains(refused.Description, "tags not matched") &&
		!strings.Contains(refused.Description, "peer offline") && !strings.Contains(refused.Description, "miscellaneous")
}
