package tokens

import (
	"context"
	"slices"
	"time"

	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
)

// Bootstrap is the id of the token that a fleet without administrators begins with: one name, so that of
// replicas which start at the same time one makes it.
const Bootstrap = "bootstrap"

// Governed says whether a token of an administrator lives. It reads past the view, and fails with
// kv.ErrUnavailable.
func (t *Tokens) Governed(ctx context.Context, now time.Time) (bool, error) {
	all, err := t.All(ctx, now)
	return slices.ContainsFunc(all, func(of Token) bool { return of.Role == access.Admin }), err
}

func governs(r *Record, now time.Time) bool {
	return r.subject.Role == access.Admin && !r.subject.Ended(now)
}

// Begin keeps a first token of an administrator, whose credential, of the id Bootstrap, was made before. It
// fails with ErrExists when one lives under that id, and with kv.ErrUnavailable, after which it may be called
// again with the same credential: it succeeds also when that was kept.
func (t *Tokens) Begin(ctx context.Context, c access.Credential, now time.Time) error {
	d := Draft{Name: Bootstrap, Role: access.Admin, By: Bootstrap}
	kept := false
	_, err := t.put(ctx, c, d, now, func(last kv.Message) bool {
		kept = false
		if !last.Live() {
			return true
		}
		r, err := Decode(kv.KeyOf(Bootstrap), last)
		if err != nil {
			return true // nobody can use it
		}
		kept = r.Digest.Is(c.Digest())
		return !governs(r, now)
	})
	if kept {
		return nil
	}
	return err
}
