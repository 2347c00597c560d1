package tokens

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
)

// ErrExists says that there is a token of that id.
var ErrExists = errors.New("there is a token of this id")

// markerTTL is how long a removal is told of: see kv.Write, which has one stand for as long as the token would
// have, so that a server that was killed does not show it again. A token without an end leaves a marker without
// one.
const markerTTL = time.Hour

// Tokens is the bucket.
type Tokens struct {
	keys *kv.Keys
	view *kv.View[*Record]
}

// New makes the bucket of its keys.
func New(keys *kv.Keys) *Tokens { return &Tokens{keys, kv.NewView(keys, Decode)} }

// View is this replica's copy of the tokens.
func (t *Tokens) View() *kv.View[*Record] { return t.view }

// Get reads a token past the view. It fails with kv.ErrNotFound, kv.ErrUndecodable or kv.ErrUnavailable.
func (t *Tokens) Get(ctx context.Context, tokenID string) (*Record, error) {
	m, err := t.keys.Value(ctx, kv.KeyOf(tokenID))
	if err != nil {
		return nil, err
	}
	return Decode(kv.KeyOf(tokenID), m)
}

// Create makes a token. Nobody else can ever learn the credential. It fails with kv.ErrUnavailable.
func (t *Tokens) Create(ctx context.Context, d Draft, now time.Time) (Token, access.Credential, error) {
	c := access.Mint()
	made, err := t.put(ctx, c, d, now, func(last kv.Message) bool { return !last.Live() })
	return made, c, err
}

// put keeps a token where free allows it; else it fails with ErrExists.
func (t *Tokens) put(ctx context.Context, c access.Credential, d Draft, now time.Time, free func(last kv.Message) bool) (Token, error) {
	made := d.token(c.ID, now)
	data, err := json.Marshal(newRecord(made, c.Digest()))
	if err != nil {
		return Token{}, err
	}
	_, err = t.keys.Change(ctx, kv.KeyOf(c.ID), func(last kv.Message) (*kv.Write, error) {
		if !free(last) {
			return nil, ErrExists
		}
		return &kv.Write{Data: data, TTL: d.TTL}, nil
	})
	return made, err
}

// Revoke ends a token, for good. It fails with kv.ErrNotFound or kv.ErrUnavailable.
func (t *Tokens) Revoke(ctx context.Context, tokenID string) error {
	_, err := t.keys.Change(ctx, kv.KeyOf(tokenID), func(last kv.Message) (*kv.Write, error) {
		switch {
		case !last.Live():
			return nil, kv.ErrNotFound
		case last.HasTTL():
			return kv.Remove(markerTTL), nil
		}
		return kv.Remove(0), nil
	})
	return err
}

// Reach is the bucket as it stands on the server, for programs that are no replica. It fails with kv.ErrNotFound,
// when there is none, and with kv.ErrUnavailable.
func Reach(ctx context.Context, js jetstream.JetStream, log *slog.Logger) (*Tokens, error) {
	stream, err := kv.Bind(ctx, js, Layout, log)
	if err != nil {
		return nil, err
	}
	return New(stream.Keys(kv.BucketSpace(Bucket))), nil
}

// All reads all tokens that live, past the view, by id. It fails with kv.ErrUnavailable.
func (t *Tokens) All(ctx context.Context, now time.Time) ([]Token, error) {
	var all []Token
	for r, err := range kv.Read(ctx, t.keys.JetStream(), t.keys.Space, Decode) {
		if err != nil {
			return nil, err
		}
		if r.Err == nil && !r.Value.subject.Ended(now) {
			all = append(all, r.Value.Token)
		}
	}
	slices.SortFunc(all, func(a, b Token) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}
