package jet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// markWithin bounds what one stream takes: without the right to change it nobody answers.
const markWithin = 2 * time.Second

// MarkStreams has each stream bear the version of its layout that was made before there were versions, and is as
// it must be: a later release can change it in place by that. A stream that a slower replica of an older release
// has changed back meanwhile is changed again. It fails with all that could not be done, which nothing depends on
// today: the next start tries again.
func MarkStreams(ctx context.Context, js jetstream.JetStream, wants []Expected) error {
	var errs []error
	for _, want := range wants {
		if err := mark(ctx, js, want.Stream); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", streamName(want.Stream), err))
		}
	}
	return errors.Join(errs...)
}

func mark(ctx context.Context, js jetstream.JetStream, want jetstream.StreamConfig) error {
	ctx, cancel := context.WithTimeout(ctx, markWithin)
	defer cancel()
	stream, err := EnsureStream(ctx, js, want)
	if err != nil {
		return err
	}
	have := stream.CachedInfo().Config
	if versionOf(have) != (Version{}) {
		return nil
	}
	have.Metadata = neededBy(want).Mark(have.Metadata)
	_, err = js.UpdateStream(ctx, have)
	return err
}
