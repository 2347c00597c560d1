package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"
)

// Interest is the bucket of who has streams on which peer: one key per peer with the replicas.
type Interest struct {
	bucket *bucket
	view   *View[[]string]
	gone   *tombstones
}

// interested is the stored value.
type interested struct {
	Replicas []string `json:"replicas"` // sorted, no repetition
	// End names the end of the planner's life that is due because the list is empty; whoever carries it
	// out, and however often, it is one.
	End string `json:"end,omitempty"`
}

func newInterest(o opener, b *bucket) *Interest {
	decode := func(_ string, m *nats.Msg) ([]string, error) { return decodeInterest(m.Data) }
	view := NewView(o.js, b.name, decode, o.viewOptions(b.name)...)
	return &Interest{b, view, keepRemovals(o, b, view)}
}

func decodeInterest(data []byte) ([]string, error) {
	var v interested
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUndecodable, err)
	}
	slices.Sort(v.Replicas)
	return slices.Compact(v.Replicas), nil
}

// endingOf is the end that is due because of a stored list; false when it is not empty, or not there.
func endingOf(m message) (end string, due bool) {
	var v interested
	if !m.live() || json.Unmarshal(m.Data, &v) != nil {
		return "", false
	}
	return v.End, len(v.Replicas) == 0
}

// View is this replica's copy of the interest: peer → replicas, sorted.
func (i *Interest) View() *View[[]string] { return i.view }

// Add notes that a replica has streams on a peer. It fails with ErrUnavailable.
func (i *Interest) Add(ctx context.Context, peerID, replica string) error {
	_, err := i.bucket.change(ctx, peerID, func(m message) (*write, error) {
		replicas := replicasOf(m)
		at, found := slices.BinarySearch(replicas, replica)
		if found {
			return nil, nil
		}
		return writeInterest(interested{Replicas: slices.Insert(replicas, at, replica)})
	})
	return err
}

// Remove notes that a replica has no more streams on a peer. end is not empty when the list is now: it
// names the end of the planner's life, which is due, and after which Forget removes the list. However many
// leave at once, one of them writes the empty list. It fails with ErrUnavailable.
func (i *Interest) Remove(ctx context.Context, peerID, replica string) (end string, err error) {
	_, err = i.bucket.change(ctx, peerID, func(m message) (*write, error) {
		end = ""
		replicas := replicasOf(m)
		at, found := slices.BinarySearch(replicas, replica)
		if !found {
			return nil, nil
		}
		if len(replicas) == 1 {
			end = rand.Text()
		}
		return writeInterest(interested{slices.Delete(replicas, at, at+1), end})
	})
	if err != nil {
		return "", err
	}
	return end, nil
}

// TakeOver takes on an end that another replica has begun and not finished, it seems: the empty list of
// that revision is written anew, which one of all that try can do. end is empty for the others. It fails
// with ErrUnavailable.
func (i *Interest) TakeOver(ctx context.Context, peerID string, revision uint64) (end string, err error) {
	last, err := i.bucket.newest(ctx, peerID)
	if err != nil {
		return "", err
	}
	end, due := endingOf(last)
	if !due || last.Revision != revision {
		return "", nil
	}
	if end == "" { // a list that a person has emptied
		end = rand.Text()
	}
	w, err := writeInterest(interested{[]string{}, end})
	if err == nil {
		_, err = i.bucket.swap(ctx, peerID, revision, w)
	}
	if errors.Is(err, errConflict) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return end, nil
}

// Due says whether an end still is: nobody has come since, and nobody has finished it. It fails with
// ErrUnavailable.
func (i *Interest) Due(ctx context.Context, peerID, end string) (bool, error) {
	m, err := i.bucket.newest(ctx, peerID)
	stands, due := endingOf(m)
	return due && stands == end, err
}

// Forget removes the list of a peer if it is still empty. It fails with ErrUnavailable.
func (i *Interest) Forget(ctx context.Context, peerID string) error {
	_, err := i.bucket.change(ctx, peerID, func(m message) (*write, error) {
		if !m.live() || len(replicasOf(m)) > 0 {
			return nil, nil
		}
		return remove(0), nil
	})
	return err
}

// Replicas reads which replicas have streams on a peer now, past the view. It fails with
// ErrUnavailable.
func (i *Interest) Replicas(ctx context.Context, peerID string) ([]string, error) {
	m, err := i.bucket.newest(ctx, peerID)
	return replicasOf(m), err
}

// replicasOf reads a stored list; none, and one that cannot be read, is empty.
func replicasOf(m message) []string {
	if !m.live() {
		return nil
	}
	replicas, err := decodeInterest(m.Data)
	if err != nil {
		return nil // the view reports it; the next write mends it
	}
	return replicas
}

func writeInterest(v interested) (*write, error) {
	data, err := json.Marshal(v)
	return &write{data: data}, err
}
