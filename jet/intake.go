package jet

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// intakeEvery is the time between two looks at a stream, and untoldEvery that after one that told nothing
// while none ever has: the user may lack the right to ask.
const intakeEvery, untoldEvery = 5 * time.Second, time.Minute

// Intake knows of streams whether they take what is sent to them, and writes nothing to find out: on the
// subjects of some nobody may speak who has nothing to say. A server shuts a stream for good with the first
// write that fails (nats-server 2.15, setWriteErr), tells nobody, and lets it be read as before.
type Intake struct {
	nc      *nats.Conn
	streams []*intake
}

type intake struct {
	name    string
	refusal Refusal
}

// NewIntake makes an Intake of streams by their names; Run has to run.
func NewIntake(js jetstream.JetStream, streams ...string) *Intake {
	i := &Intake{nc: js.Conn()}
	for _, name := range streams {
		i.streams = append(i.streams, &intake{name: name})
	}
	return i
}

// Run looks at the streams now and then, until ctx ends; then it returns nil.
func (i *Intake) Run(ctx context.Context) error {
	var watches sync.WaitGroup
	for _, s := range i.streams {
		watches.Go(func() { s.watch(ctx, i.nc) })
	}
	watches.Wait()
	return nil
}

// Err says which of the streams take nothing, and why; nil while none is known of.
func (i *Intake) Err() error {
	var faults []string
	for _, s := range i.streams {
		if err := s.refusal.Err(); err != nil {
			faults = append(faults, s.name+": "+err.Error())
		}
	}
	if faults == nil {
		return nil
	}
	return errors.New(strings.Join(faults, "; "))
}

// watch lets silence count only once the stream has been heard of: else it may be the right to ask that is
// lacking.
func (s *intake) watch(ctx context.Context, nc *nats.Conn) {
	pause := untoldEvery
	for ctx.Err() == nil {
		told, err := removeNothing(ctx, nc, s.name)
		if told {
			pause = intakeEvery
		}
		if told || late(err) && pause == intakeEvery && ctx.Err() == nil {
			s.refusal.Note(nc, err)
		}
		again := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-again.C:
		}
		again.Stop()
	}
}
