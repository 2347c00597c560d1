package orchestrator

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
	"oc-scheduler/streams/nclprotocol"
)

const (
	heartbeatEvery = time.Second
	// silence is how long the server may say nothing while something is asked of it.
	silence = 2 * heartbeatEvery
	// pullExpiry is when a request that has not brought all it may is made again.
	pullExpiry = 30 * time.Second
	// createTimeout bounds the making of what is read.
	createTimeout = 2 * time.Second
	// readAtOnce is how many messages are asked for at a time.
	readAtOnce = 1024
)

// reader brings the events of all nodes to the desk, from the first one that some partition needs.
type reader struct {
	js     jetstream.JetStream
	copies int
	desk   *desk
	log    *slog.Logger
}

// run reads until ctx ends.
func (r *reader) run(ctx context.Context) {
	consumers := jet.NewEphemerals(r.js, nclprotocol.OutStream, r.log)
	level := slog.LevelWarn
	jet.Supervise(ctx, r.js.Conn(), func(ctx context.Context) (good bool) {
		began := time.Now()
		err := r.session(ctx, consumers)
		good = err == nil || time.Since(began) > heartbeatEvery
		if good {
			level = slog.LevelWarn
		}
		if ctx.Err() == nil && err != nil {
			r.log.Log(ctx, level, "reading the events of nodes begins again", "error", err)
			level = slog.LevelDebug // the first of a row of failures says it all
		}
		return good
	})
}

// session reads until ctx ends, the reading is in doubt, or something has to be read again: then it
// returns nil.
func (r *reader) session(ctx context.Context, consumers *jet.Ephemerals) error {
	reading, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := r.stream(ctx)
	if err != nil {
		return err
	}
	info := stream.CachedInfo()
	after, wanted := r.desk.begin(info.Created, info.State.LastSeq, cancel)
	if !wanted {
		<-reading.Done() // until a partition comes
		return nil
	}
	defer consumers.Tidy(ctx, "")
	name, err := r.consumer(reading, consumers, after+1)
	if err != nil {
		return rewound(ctx, reading, err)
	}
	var tidy sync.WaitGroup
	defer func() { cancel(); tidy.Wait() }()
	tidy.Go(func() { consumers.Tidy(ctx, name) }) // beside the reading: it may take long
	tidy.Go(func() { jet.Waiting(reading, r.js, nclprotocol.OutStream, name, r.desk.waits) })
	return rewound(ctx, reading, r.read(reading, name))
}

// rewound is nil when the reading ended because it was to begin again.
func rewound(ctx, reading context.Context, err error) error {
	if ctx.Err() == nil && reading.Err() != nil {
		return nil
	}
	return err
}

// stream finds the stream, and brings it back when it has gone.
func (r *reader) stream(ctx context.Context) (jetstream.Stream, error) {
	ctx, cancel := context.WithTimeout(ctx, createTimeout)
	defer cancel()
	stream, err := jet.EnsureStream(ctx, r.js, nclprotocol.OutLayout(r.copies))
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", nclprotocol.OutStream, err)
	}
	return stream, nil
}

// consumer makes one that begins at a sequence, and returns its name.
func (r *reader) consumer(ctx context.Context, consumers *jet.Ephemerals, start uint64) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, createTimeout)
	defer cancel()
	cons, err := consumers.Create(ctx, jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: start, FilterSubject: nclprotocol.AllOut,
	})
	if err != nil {
		return "", err
	}
	return cons.CachedInfo().Name, nil
}

func (r *reader) read(ctx context.Context, consumer string) error {
	pull := jet.Reader{
		Stream: nclprotocol.OutStream, Consumer: consumer, Silence: silence, Gate: r.desk,
		Request: jet.Request{Batch: readAtOnce, MaxBytes: inHandBytes, Expires: pullExpiry, Heartbeat: heartbeatEvery},
	}
	return pull.Run(ctx, r.js, jet.Gapless(func(m *nats.Msg, md *nats.MsgMetadata) error {
		nodeID, err := nclprotocol.NodeOf(m.Subject)
		if err != nil {
			return nil // on a subject of no node: nobody's
		}
		r.desk.take(received{nodeID, md.Sequence.Stream, md.Timestamp, m.Data}, md.NumPending)
		return nil
	}))
}
