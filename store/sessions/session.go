package sessions

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
)

// Bucket is where sessions are kept.
const Bucket = "sessions"

// Layout is how the bucket is kept.
var Layout = kv.Layout{Bucket: Bucket, Description: "Which browsers are logged in, by the hash of the session: what it rests on, and until when"}

// Longest is the life of a session whose ground does not end before.
const Longest = 12 * time.Hour

// maxID is the length of what may be an id of a session.
const maxID = 64

// Key is what a session is kept by: the SHA-256 of its id, which nobody can guess; so nothing slower is needed. It
// is false for what cannot be an id.
func Key(sessionID string) (key string, ok bool) {
	if sessionID == "" || len(sessionID) > maxID {
		return "", false
	}
	sum := sha256.Sum256([]byte(sessionID))
	return hex.EncodeToString(sum[:]), true
}

// newID makes an id, of at least 128 random bits.
func newID() string { return rand.Text() }

// Record is a session as it is kept. It rests on a token or on a person.
type Record struct {
	Token     *Token    `json:"token,omitempty"`
	Person    *Person   `json:"person,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Token is the token that a session was begun with, and no later one of that id.
type Token struct {
	ID        string    `json:"id"`
	CreatedAt time.Time `json:"created_at"`
}

// Person is somebody whom an issuer has vouched for.
type Person struct {
	Issuer string      `json:"issuer"`
	Key    []byte      `json:"key,omitempty"` // by which it has signed for him; empty: that was not kept
	ID     string      `json:"id"`            // the subject, as logs and created_by name it
	Name   string      `json:"name"`
	Role   access.Role `json:"role"`
	Groups []string    `json:"groups"`
}

// Decode reads a session as it is kept.
func Decode(_ kv.Key, m kv.Message) (*Record, error) {
	var r Record
	err := json.Unmarshal(m.Data, &r)
	if err == nil {
		err = r.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", kv.ErrUndecodable, err)
	}
	return &r, nil
}

// check refuses what would be a session of nobody, or for ever.
func (r *Record) check() error {
	switch {
	case (r.Token == nil) == (r.Person == nil):
		return errors.New("it rests on neither a token nor a person, or on both")
	case r.Person != nil && (r.Person.ID == "" || r.Person.Role == access.Nobody):
		return errors.New("nobody's")
	case r.ExpiresAt.IsZero():
		return errors.New("no end")
	}
	return nil
}

// Ended says whether the session's time was over at a moment.
func (r *Record) Ended(at time.Time) bool { return !at.Before(r.ExpiresAt) }
