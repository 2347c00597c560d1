package plan

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"time"

	"oc-scheduler/store/kv"
)

// Errors of claims.
var (
	// ErrInProgress says that somebody else does what is claimed.
	ErrInProgress = errors.New("it is being done")
	// ErrOtherRequest says that something else was done under the same name.
	ErrOtherRequest = errors.New("something else was asked for under this name")
)

// claimedFor is how long a claim keeps others away: longer than what is claimed takes, or Extend says so.
const claimedFor = 10 * time.Second

// Claim is the right to do once what may be asked for many times under one name. A commit that it is part of is made
// only while it stands, and names in it what was made: so whoever comes after a crash finds that, and whoever was
// overtaken commits nothing.
type Claim struct {
	claimed
	plan     *Plan
	key      kv.Key
	kept     time.Duration // how long the answer is given again
	revision uint64
}

// claimed is a claim as it is stored.
type claimed struct {
	Asked  string    `json:"asked"` // names what is asked for
	By     string    `json:"by"`    // who claims it: another one each time
	Until  time.Time `json:"until"` // then others may
	Made   string    `json:"made,omitempty"`
	Answer *Answer   `json:"answer,omitempty"`
}

// Answer is what was answered.
type Answer struct {
	Status   int             `json:"status"`
	Location string          `json:"location,omitempty"`
	Body     json.RawMessage `json:"body"`
}

// Claim claims what is asked for under a name, or finds what was answered, or made for it, before, which the views
// then show. It fails with ErrInProgress, ErrOtherRequest or kv.ErrUnavailable.
func (p *Plan) Claim(ctx context.Context, name, asked string) (*Claim, error) {
	return p.ClaimFor(ctx, AnsweredFor, name, asked)
}

// ClaimFor is Claim of what is answered again for another time, in whole seconds: names may say too little for a day.
func (p *Plan) ClaimFor(ctx context.Context, kept time.Duration, name, asked string) (*Claim, error) {
	c := &Claim{plan: p, key: kv.KeyOf(name), kept: kept}
	by := rand.Text()
	revision, err := p.claims.Change(ctx, c.key, func(m kv.Message) (*kv.Write, error) {
		last := decodeClaimed(m)
		waits := last.Answer == nil && last.Made == ""
		switch now := p.Now(); {
		case waits && !now.Before(last.Until): // nobody's, or of somebody who is gone
			last = claimed{}
		case last.Asked != asked:
			return nil, ErrOtherRequest
		case last.Answer != nil:
			c.claimed = last
			return nil, nil
		case waits:
			return nil, ErrInProgress
		}
		c.claimed = claimed{Asked: asked, By: by, Until: p.Now().Add(claimedFor).UTC(), Made: last.Made}
		return c.write()
	})
	c.revision = revision
	if err == nil && (c.Made != "" || c.Answer != nil) { // what was made came with the claim, or before
		soon, cancel := context.WithTimeout(ctx, tryTimeout)
		defer cancel()
		err = p.Await(soon, revision)
	}
	return c, err
}

// decodeClaimed is a claim; what none stands for, or can be read, is nobody's.
func decodeClaimed(m kv.Message) (r claimed) {
	if !m.Live() || json.Unmarshal(m.Data, &r) != nil {
		return claimed{}
	}
	return r
}

func (c *Claim) write() (*kv.Write, error) {
	data, err := json.Marshal(c.claimed)
	return &kv.Write{Data: data, TTL: c.kept}, err
}

// Before is the id of what was made by an earlier claim; empty: nothing was.
func (c *Claim) Before() string {
	if c == nil {
		return ""
	}
	return c.Made
}

// Check fails with ErrInProgress when somebody else has claimed it since. No claim at all stands always.
func (c *Claim) Check(ctx context.Context) error {
	if c == nil {
		return nil
	}
	m, err := c.plan.claims.Newest(ctx, c.key)
	if err != nil {
		return err
	}
	now := decodeClaimed(m)
	if now.By != c.By {
		return ErrInProgress
	}
	c.claimed, c.revision = now, m.Revision
	return nil
}

// Extend keeps others away for some time more. It fails as Check does.
func (c *Claim) Extend(ctx context.Context, by time.Duration) error {
	if c == nil {
		return nil
	}
	return c.become(ctx, func(r *claimed) { r.Until = c.plan.Now().Add(by + claimedFor).UTC() })
}

// Keep stores what was answered. It fails as Check does, and with kv.ErrTooLarge.
func (c *Claim) Keep(ctx context.Context, a Answer) error {
	return c.become(ctx, func(r *claimed) { r.Answer = &a })
}

func (c *Claim) become(ctx context.Context, change func(*claimed)) (err error) {
	c.revision, err = c.plan.claims.Change(ctx, c.key, func(m kv.Message) (*kv.Write, error) {
		r := decodeClaimed(m)
		if r.By != c.By {
			return nil, ErrInProgress
		}
		change(&r)
		c.claimed = r
		return c.write()
	})
	return err
}

// Release gives up a claim under which nothing was made. It fails with kv.ErrUnavailable.
func (c *Claim) Release(ctx context.Context) error {
	_, err := c.plan.claims.Change(ctx, c.key, func(m kv.Message) (*kv.Write, error) {
		if r := decodeClaimed(m); r.By != c.By || r.Made != "" || r.Answer != nil {
			return nil, nil
		}
		return kv.Remove(AnsweredFor), nil
	})
	return err
}

// Fulfil has a commit be made only while a claim stands, and names in it what was made; nil is none.
func (c *Commit) Fulfil(claim *Claim, made string) {
	if claim == nil {
		return
	}
	done := *claim
	done.Made = made
	w, err := done.write()
	c.fail(err)
	c.write(c.plan.claims, claim.key, claim.revision, w)
}
