package ui

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/digest"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
)

// Claims keeps what has come of forms. It fails as plan.Plan does.
type Claims interface {
	ClaimFor(ctx context.Context, kept time.Duration, name, asked string) (*plan.Claim, error)
}

const (
	// pressedWithin bounds what somebody waits whose form is being carried out for an earlier press.
	pressedWithin = 15 * time.Second
	// pressedLook is when it is looked again whether that is over.
	pressedLook = 20 * time.Millisecond
	// againWithin is how soon a form without a key that is sent again counts as a second press.
	againWithin = 10 * time.Second
)

// done does what a form asks for, and says which page shows what has come of it. A *formAgain is shown instead.
type done func(echo.Context, *Parts, form) (to string, err error)

// formAgain is the error of a form that has to be filled in otherwise: it is shown again, with why.
type formAgain struct{ View }

func (*formAgain) Error() string { return "the form is shown again" }

// once makes a handler of what a form does once: whoever presses its button again, or sends it once more because no
// answer came, is shown what came of the first press. A form without a key, as scripts have, is done each time.
func (s *Site) once(do done) echo.HandlerFunc { return s.pressed(do, "") }

// makes is once of what makes something. Such a form without a key that comes again soon is a second press, too.
func (s *Site) makes(do done) echo.HandlerFunc { return s.pressed(do, "no key") }

func (s *Site) pressed(do done, unkeyed string) echo.HandlerFunc {
	return s.page((&button{s, do, unkeyed}).pressed)
}

// button is what a form does.
type button struct {
	*Site
	do      done
	unkeyed string // the key of a form without one; "": it is done each time
}

func (b *button) pressed(c echo.Context, p *Parts) error {
	f, err := formOf(c)
	if err != nil {
		return err
	}
	c.SetRequest(goesOn(c.Request()))
	kept := plan.AnsweredFor
	if f.Key == "" {
		f.Key, kept = b.unkeyed, againWithin
	}
	to, err := b.press(c, p, f, kept)
	if again := (*formAgain)(nil); errors.As(err, &again) {
		return b.show(c, again.View)
	}
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// goesOn is a request that does not end with its client: a second press takes the browser away from the first one.
func goesOn(r *http.Request) *http.Request { return r.WithContext(context.WithoutCancel(r.Context())) }

// press does what a form asks for, or finds what has come of it before. What the fields say is a part of its name: who goes
// back and asks for something else with the same key asks for something else.
func (b *button) press(c echo.Context, p *Parts, f form, kept time.Duration) (to string, err error) {
	if f.Key == "" {
		return b.do(c, p, f)
	}
	ctx := c.Request().Context()
	f.claim, err = p.claim(ctx, kept, digest.Name(b.Subject(c).ID, c.Request().URL.EscapedPath(), f.Key, f.Encode()))
	switch {
	case err != nil:
		return "", err
	case f.claim.Answer != nil:
		return f.claim.Answer.Location, nil
	}
	to, err = b.do(c, p, f)
	within, cancel := context.WithTimeout(ctx, natsWithin)
	defer cancel()
	if err != nil {
		_ = f.claim.Release(within) // else it stands until its time is over
		return "", err
	}
	_ = f.claim.Keep(within, plan.Answer{Status: http.StatusSeeOther, Location: to, Body: []byte("null")}) // else it names what was made
	return to, nil
}

// claim claims a press, and waits for one before it.
func (p *Parts) claim(ctx context.Context, kept time.Duration, name string) (*plan.Claim, error) {
	ctx, cancel := context.WithTimeout(ctx, pressedWithin)
	defer cancel()
	for {
		claim, err := p.Claims.ClaimFor(ctx, kept, name, name)
		if !errors.Is(err, plan.ErrInProgress) || kv.Sleep(ctx, pressedLook) != nil {
			return claim, err
		}
	}
}
