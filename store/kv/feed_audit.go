package kv

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
)

const (
	// auditEvery is how often a feed compares its views with its stream. A large bucket is compared less often:
	// one part in auditShare of the time may go into it.
	auditEvery, auditShare = 5 * time.Second, 100
)

var (
	errReplaced = errors.New("the bucket is another one than before")
	errRemoved  = errors.New("values were removed from below the bucket")
)

// audited is what is remembered of the last comparison.
type audited struct {
	state jetstream.StreamState // in which nothing differed
	owed  uint64                // a message that the leader had and the views had not; 0: none
}

// audit compares the views now and then with what the stream's leader has, until ctx ends or fail was told what
// differs. No consumer tells of messages that were deleted or purged from below the bucket, nor that the member
// on which it stands does not come after the leader any more.
func (f *Feed) audit(ctx context.Context, fail func(error)) {
	var last audited
	for pause := auditEvery; Sleep(ctx, pause/2+rand.N(pause)) == nil; {
		began := time.Now()
		gone, err := f.compare(ctx, &last)
		for v, ids := range gone {
			v.vanish(ctx, ids)
		}
		if err != nil {
			fail(err)
			return
		}
		pause = max(auditEvery, auditShare*time.Since(began))
	}
}

// compare returns in what the views differ, and the identifiers of which they show values that have gone. It knows
// of no difference while the leader does not answer, or they are not loaded.
func (f *Feed) compare(ctx context.Context, last *audited) (gone map[fed][]string, err error) {
	seen := f.revision.load() // before the leader says how far it is
	stream, err := f.standing(ctx)
	if err != nil || !f.Current() {
		return nil, nil
	}
	info := stream.CachedInfo()
	switch {
	case !info.Created.Equal(f.created), info.State.LastSeq < seen:
		return nil, errReplaced
	case seen < last.owed:
		return nil, jet.ErrBehind
	}
	last.owed = 0
	if seen < info.State.LastSeq {
		if end, err := f.end(ctx); err == nil && seen < end {
			last.owed = end
		}
	}
	if unchanged(info.State, last.state) {
		return nil, nil
	}
	stands, err := f.subjects(ctx, stream)
	if err != nil {
		return nil, nil
	}
	if gone = f.without(stands.State.Subjects, info.State.LastSeq); len(gone) > 0 {
		return gone, errRemoved
	}
	last.state = info.State
	return nil, nil
}

func (f *Feed) subjects(ctx context.Context, stream jetstream.Stream) (*jetstream.StreamInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, auditEvery)
	defer cancel()
	return jet.Subjects(ctx, stream, f.filter)
}

// unchanged says whether no message came or went between two states of a stream.
func unchanged(a, b jetstream.StreamState) bool {
	return a.Msgs == b.Msgs && a.FirstSeq == b.FirstSeq && a.LastSeq == b.LastSeq && a.NumDeleted == b.NumDeleted
}
