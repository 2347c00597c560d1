package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"

	"oc-scheduler/store/kv"
)

// Interest is the bucket of who has streams on which peer: one key per peer with the replicas.
type Interest struct {
	keys *kv.Keys
	view *kv.View[[]string]
	gone *kv.Tombstones
}

// interested is the stored value.
type interested struct {
	Replicas []string `json:"replicas"` // sorted, no repetition
	// End names the end of the planner's life that is due because the list is empty; whoever carries it
	// out, and however often, it is one.
	End string `json:"end,omitempty"`
}

func newInterest(keys *kv.Keys) *Interest {
	view := kv.NewView(keys, decodeInterest)
	return &Interest{keys, view, kv.KeepRemovals(view)}
}

func decodeInterest(key kv.Key, m kv.Message) ([]string, error) {
	v, err := kv.JSON[interested](nil)(key, m)
	slices.Sort(v.Replicas)
	return slices.Compact(v.Replicas), err
}

// endingOf is the end that is due because of a stored list; false when it is not empty, or not there.
func endingOf(m kv.Message) (end string, due bool) {
	var v interested
	if !m.Live() || json.Unmarshal(m.Data, &v) != nil {
		return "", false
	}
	return v.End, len(v.Replicas) == 0
}

// View is this replica's copy of the interest: peer → replicas, sorted.
func (i *Interest) View() *kv.View[[]string] { return i.view }

// Add notes that a replica has streams on a peer. It fails with kv.ErrUnavailable.
func (i *Interest) Add(ctx context.Context, peerID, replica string) error {
	_, err := i.keys.Change(ctx, kv.KeyOf(peerID), func(m kv.Message) (*kv.Write, error) {
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
// leave at once, one of them writes the empty list. It fails with kv.ErrUnavailable.
func (i *Interest) Remove(ctx context.Context, peerID, replica string) (end string, err error) {
	_, err = i.keys.Change(ctx, kv.KeyOf(peerID), func(m kv.Message) (*kv.Write, error) {
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
// with kv.ErrUnavailable.
func (i *Interest) TakeOver(ctx context.Context, peerID string, revision uint64) (end string, err error) {
	last, err := i.keys.Newest(ctx, kv.KeyOf(peerID))
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
		_, err = i.keys.Swap(ctx, kv.KeyOf(peerID), revision, w)
	}
	if errors.Is(err, kv.ErrConflict) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return end, nil
}

// Due says whether an end still is: nobody has come since, and nobody has finished it. It fails with
// kv.ErrUnavailable.
func (i *Interest) Due(ctx context.Context, peerID, end string) (bool, error) {
	m, err := i.keys.Newest(ctx, kv.KeyOf(peerID))
	stands, due := endingOf(m)
	return due && stands == end, err
}

// Forget removes the list of a peer if it is still empty. It fails with kv.ErrUnavailable.
func (i *Interest) Forget(ctx context.Context, peerID string) error {
	_, err := i.keys.Change(ctx, kv.KeyOf(peerID), func(m kv.Message) (*kv.Write, error) {
		if !m.Live() || len(replicasOf(m)) > 0 {
			return nil, nil
		}
		return kv.Remove(0), nil
	})
	return err
}

// Replicas reads which replicas have streams on a peer now, past the view. It fails with
// kv.ErrUnavailable.
func (i *Interest) Replicas(ctx context.Context, peerID string) ([]string, error) {
	m, err := i.keys.Newest(ctx, kv.KeyOf(peerID))
	return replicasOf(m), err
}

// replicasOf reads a stored list; none, and one that cannot be read, is empty.
func replicasOf(m kv.Message) []string {
	if !m.Live() {
		return nil
	}
	replicas, err := decodeInterest("", m)
	if err != nil {
		return nil // the view reports it; the next write mends it
	}
	return replicas
}

func writeInterest(v interested) (*kv.Write, error) {
	data, err := json.Marshal(v)
	return &kv.Write{Data: data}, err
}
