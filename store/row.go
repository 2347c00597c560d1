package store

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
	"oc-scheduler/store/kv"
)

// row is what there is to know of a bucket.
type row struct {
	layout  kv.Layout
	open    func(*Store, *kv.Stream) view
	examine []examine // one a kind of keys
}

// examine reads all values of one kind.
type examine func(context.Context, jetstream.JetStream) (faults []Fault, values int, err error)

func rowOf[T any](l kv.Layout, decode kv.Decode[T], open func(*Store, *kv.Keys) *kv.View[T]) row {
	return row{
		layout:  l,
		open:    func(s *Store, of *kv.Stream) view { return open(s, of.Keys(kv.BucketSpace(l.Bucket))) },
		examine: []examine{examineOf(kv.BucketSpace(l.Bucket), decode)},
	}
}

func examineOf[T any](space kv.Space, decode kv.Decode[T]) examine {
	kind := strings.TrimPrefix(space.Prefix, kv.BucketPrefix(space.Bucket))
	return func(ctx context.Context, js jetstream.JetStream) (faults []Fault, values int, err error) {
		for r, err := range kv.Read(ctx, js, space, decode) {
			if err != nil {
				return nil, 0, err
			}
			values++
			if r.Err != nil {
				faults = append(faults, Fault{kind + string(r.Key), r.Err})
			}
		}
		return faults, values, nil
	}
}

func layouts() []kv.Layout {
	all := make([]kv.Layout, len(table))
	for i, r := range table {
		all[i] = r.layout
	}
	return all
}

// view is a view, whatever it holds.
type view interface {
	Follower
	Run(context.Context) error
}

// Follower is what there is to ask of a view, whatever it holds.
type Follower interface {
	Current() bool
	Age() time.Duration
	Broken() map[string]string
}

// Views are all that the replica follows, by bucket.
func (s *Store) Views() iter.Seq2[string, Follower] {
	return func(yield func(string, Follower) bool) {
		for i, v := range s.views {
			if !yield(table[i].layout.Bucket, v) {
				return
			}
		}
	}
}

// Expect lists what Open needs on the server at a replication of 1, 3 or 5.
func Expect(replicas int) []jet.Expected {
	all := make([]jet.Expected, len(table))
	for i, l := range layouts() {
		all[i] = jet.Expected{Stream: l.Stream(replicas), Durables: l.Durables}
	}
	return all
}

// Examined is what stands in a bucket.
type Examined struct {
	Bucket string
	Values int
	Faults []Fault
}

// Fault is a value that cannot be read.
type Fault struct {
	Key string
	Err error
}

// Examine reads all buckets whose streams stand, one after the other, past the views; it changes nothing. It
// ends with an error that is kv.ErrUnavailable when one cannot be read to its end.
func Examine(ctx context.Context, js jetstream.JetStream, stands func(stream string) bool) iter.Seq2[Examined, error] {
	return func(yield func(Examined, error) bool) {
		for _, r := range table {
			if !stands(kv.StreamName(r.layout.Bucket)) {
				continue
			}
			all := Examined{Bucket: r.layout.Bucket}
			var err error
			for _, kind := range r.examine {
				var faults []Fault
				var values int
				if faults, values, err = kind(ctx, js); err != nil {
					break
				}
				all.Faults, all.Values = append(all.Faults, faults...), all.Values+values
			}
			if !yield(all, err) || err != nil {
				return
			}
		}
	}
}
