package jet

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"
)

// What stands in a stream is what its leader says: another member may lack what it has not fetched yet, be
// it all, and show what has gone.
var (
	// ErrNoLeader says that a stream has no leader now, so that nobody knows what stands in it.
	ErrNoLeader = errors.New("the stream has no leader")
	// ErrBehind says that the member of a stream that was read has less than its leader.
	ErrBehind = errors.New("the member that serves it is behind the stream's leader")
)

// Stream finds a stream, with the state that its leader has. It fails with ErrNoLeader, or as the client does.
func Stream(ctx context.Context, js jetstream.JetStream, name string) (jetstream.Stream, error) {
	stream, err := Hedged(ctx, func(ctx context.Context) (jetstream.Stream, error) { return js.Stream(ctx, name) })
	if err != nil {
		return nil, err
	}
	if err := led(stream.CachedInfo()); err != nil {
		return nil, err
	}
	return stream, nil
}

// Subjects are those with messages that match the filter, as the stream's leader has them; the state is of
// the same moment or a little older. It fails as Stream does.
func Subjects(ctx context.Context, stream jetstream.Stream, filter string) (*jetstream.StreamInfo, error) {
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(filter))
	if err != nil {
		return nil, err
	}
	return info, led(info)
}

// led refuses what a member says for itself: each does when a cluster has no leader of the stream.
func led(info *jetstream.StreamInfo) error {
	if info.Cluster != nil && info.Cluster.Leader == "" {
		return ErrNoLeader
	}
	return nil
}
