package tokens

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
)

// Bucket is where tokens are kept.
const Bucket = "tokens"

// Layout is how the bucket is kept.
var Layout = kv.Layout{Bucket: Bucket, Description: "Who may do what, by token: its role and groups, and the hash of its secret"}

const (
	// MaxGroups is how many groups a token may have.
	MaxGroups = 64
	// MaxTTL is the longest life of a token that has an end.
	MaxTTL = 100 * 365 * 24 * time.Hour
)

// Token is what may be known of a token.
type Token struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Role      access.Role `json:"role"`
	Groups    []string    `json:"groups"`
	CreatedAt time.Time   `json:"created_at"`
	CreatedBy string      `json:"created_by"` // the subject
	ExpiresAt *time.Time  `json:"expires_at"` // nil: never
}

// Record is a token as it is kept.
type Record struct {
	Token
	Digest access.Digest `json:"secret_sha256"`

	subject *access.Subject
}

// Subject is who bears the token; all who ask for it share it.
func (r *Record) Subject() *access.Subject { return r.subject }

// Bears says whether a credential, of this token's id, has its secret, and its end has not come.
func (r *Record) Bears(c access.Credential, now time.Time) bool {
	return r.Digest.Is(c.Digest()) && !r.subject.Ended(now)
}

const subjectPrefix = "token:"

// SubjectID is how the bearer of a token is named.
func SubjectID(tokenID string) string { return subjectPrefix + tokenID }

// TokenID is the token of a SubjectID; "" for other subjects.
func TokenID(subjectID string) string {
	tokenID, is := strings.CutPrefix(subjectID, subjectPrefix)
	if !is {
		return ""
	}
	return tokenID
}

func newRecord(t Token, d access.Digest) *Record {
	s := &access.Subject{ID: SubjectID(t.ID), Name: t.Name, Role: t.Role, Groups: access.GroupsOf(t.Groups), Since: t.CreatedAt}
	if t.ExpiresAt != nil {
		s.End = *t.ExpiresAt
	}
	return &Record{t, d, s}
}

// Decode reads a token as it is kept.
func Decode(key kv.Key, m kv.Message) (*Record, error) {
	var r Record
	err := json.Unmarshal(m.Data, &r)
	if err == nil {
		err = r.check(key)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", kv.ErrUndecodable, err)
	}
	return newRecord(r.Token, r.Digest), nil
}

// check refuses what would be a token of nobody, or of any secret.
func (r *Record) check(key kv.Key) error {
	switch {
	case r.ID != key.ID():
		return errors.New("another token stands under this key")
	case r.Digest == access.Digest{}:
		return errors.New("no hash of a secret")
	case r.Role == access.Nobody:
		return errors.New("no role")
	}
	return nil
}

// Draft is a token to be made.
type Draft struct {
	Name   string
	Role   access.Role
	Groups []string
	TTL    time.Duration // 0: no end
	By     string        // the subject who makes it
}

func (d Draft) token(tokenID string, now time.Time) Token {
	t := Token{ID: tokenID, Name: d.Name, Role: d.Role, Groups: access.GroupsOf(d.Groups), CreatedAt: now.UTC(), CreatedBy: d.By}
	if t.Groups == nil {
		t.Groups = []string{} // JSON has an empty list for it
	}
	if d.TTL > 0 {
		end := t.CreatedAt.Add(d.TTL)
		t.ExpiresAt = &end
	}
	return t
}
