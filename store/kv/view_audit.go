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
	// auditEvery is how often a view compares itself with its stream. A large bucket is compared less often:
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
	owed  uint64                // a message that the leader had and the view had not; 0: none
}

// audit compares the view now and then with what the stream's leader has, until ctx ends or fail was told what
// differs. No consumer tells of messages that were deleted or purged from below the bucket, nor that the member
// on which it stands does not come after the leader any more.
func (v *View[T]) audit(ctx context.Context, f *follower, fail func(error)) {
	var last audited
	for pause := auditEvery; Sleep(ctx, pause/2+rand.N(pause)) == nil; {
		began := time.Now()
		gone, err := v.compare(ctx, f, &last)
		if len(gone) > 0 {
			v.vanished(ctx, gone)
		}
		if err != nil {
			fail(err)
			return
		}
		pause = max(auditEvery, auditShare*time.Since(began))
	}
}

// compare returns in what the view differs, and the identifiers of which it shows values that have gone. It knows
// of no difference while the leader does not answer, or the view is not loaded.
func (v *View[T]) compare(ctx context.Context, f *follower, last *audited) (gone []string, err error) {
	seen := f.revision.Load() // before the leader says how far it is
	stream, err := v.stream(ctx)
	if err != nil || !v.Current() {
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
		if end, err := v.end(ctx); err == nil && seen < end {
			last.owed = end
		}
	}
	if unchanged(info.State, last.state) {
		return nil, nil
	}
	stands, err := v.subjects(ctx, stream)
	if err != nil {
		return nil, nil
	}
	if gone = v.without(stands.State.Subjects, info.State.LastSeq); len(gone) > 0 {
		return gone, errRemoved
	}
	last.state = info.State
	return nil, nil
}

func (v *View[T]) subjects(ctx context.Context, stream jetstream.Stream) (*jetstream.StreamInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, auditEvery)
	defer cancel()
	return jet.Subjects(ctx, stream, v.keys.Filter())
}

// unchanged says whether no message came or went between two states of a stream.
func unchanged(a, b jetstream.StreamState) bool {
	return a.Msgs == b.Msgs && a.FirstSeq == b.FirstSeq && a.LastSeq == b.LastSeq && a.NumDeleted == b.NumDeleted
}

// without lists the identifiers of what the view shows, of a revision up to last, while nothing stands on its
// subject any more, not even a marker; "" for a key that stands for none.
func (v *View[T]) without(subjects map[string]uint64, last uint64) (gone []string) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	for key, s := range v.slots {
		if s.entry.Revision <= last && subjects[v.keys.Prefix+string(key)] == 0 {
			gone = append(gone, v.idOf(key))
		}
	}
	return gone
}
