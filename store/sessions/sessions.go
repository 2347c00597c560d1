package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"oc-scheduler/store/kv"
)

// markerTTL is how long the end of a session is told of: see kv.Write, which has it stand for as long as the
// session would have.
const markerTTL = time.Hour

var errTaken = errors.New("there is a session of this id")

// Sessions is the bucket.
type Sessions struct {
	keys *kv.Keys
	view *kv.View[*Record]
}

// New makes the bucket of its keys.
func New(keys *kv.Keys) *Sessions { return &Sessions{keys, kv.NewView(keys, Decode)} }

// View is this replica's copy of the sessions, by key.
func (s *Sessions) View() *kv.View[*Record] { return s.view }

// Get reads a session past the view. It fails with kv.ErrNotFound, kv.ErrUndecodable or kv.ErrUnavailable.
func (s *Sessions) Get(ctx context.Context, key string) (*Record, error) {
	m, err := s.keys.Value(ctx, kv.KeyOf(key))
	if err != nil {
		return nil, err
	}
	return Decode(kv.KeyOf(key), m)
}

// Begin keeps a session that lasts until an end, which is to come, and no longer than Longest; the zero end is
// none. Nobody else can ever learn its id. It fails with kv.ErrUnavailable.
func (s *Sessions) Begin(ctx context.Context, r Record, end, now time.Time) (sessionID string, made *Record, err error) {
	r.CreatedAt, r.ExpiresAt = now.UTC(), now.Add(Longest).UTC()
	if !end.IsZero() && end.Before(r.ExpiresAt) {
		r.ExpiresAt = end.UTC()
	}
	data, err := json.Marshal(r)
	if err != nil {
		return "", nil, err
	}
	sessionID = newID()
	key, _ := Key(sessionID)
	_, err = s.keys.Change(ctx, kv.KeyOf(key), func(last kv.Message) (*kv.Write, error) {
		if last.Revision > 0 {
			return nil, errTaken
		}
		return &kv.Write{Data: data, TTL: r.ExpiresAt.Sub(r.CreatedAt)}, nil
	})
	return sessionID, &r, err
}

// End ends a session, for good. One that is not there has ended. It fails with kv.ErrUnavailable.
func (s *Sessions) End(ctx context.Context, key string) error {
	_, err := s.keys.Change(ctx, kv.KeyOf(key), func(last kv.Message) (*kv.Write, error) {
		if !last.Live() {
			return nil, nil
		}
		return kv.Remove(markerTTL), nil
	})
	return err
}
