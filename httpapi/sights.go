package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/carry"
	"oc-scheduler/httpapi/live"
	"oc-scheduler/httpapi/ui"
	"oc-scheduler/jet"
	"oc-scheduler/streams/check"
)

// lookAgain is when what could not be looked at is looked at again.
const lookAgain = time.Second

// sights are a page with any query, as somebody sees it.
type sights struct {
	*Server
	look func(echo.Context) (ui.View, error)
	like func(query string) echo.Context // the request that it was asked for by, with another query
	key  string                          // whoever has the same sees the same
}

// sightsOf makes no use of c once it has returned: echo gives it to others.
func (s *Server) sightsOf(c echo.Context, look func(echo.Context) (ui.View, error)) sights {
	e, path, grant, who := c.Echo(), c.Path(), c.Get(askerKey), subjectOf(c)
	r := c.Request().Clone(context.WithoutCancel(c.Request().Context()))
	like := func(query string) echo.Context {
		r := r.Clone(r.Context())
		r.URL.RawQuery = query
		c := e.NewContext(r, nil)
		c.SetPath(path)
		c.Set(askerKey, grant)
		return c
	}
	return sights{s, look, like, fmt.Sprintf("%v %q %s", who.Role, who.Groups, r.URL.EscapedPath())}
}

// at is the page with a query, which is rendered once for all who look at it.
func (g sights) at(query string) (*live.Looker, error) {
	return g.views.Join(g.key+"?"+query, func() (live.Model, error) { return g.open(query) })
}

// open follows what the page shows.
func (g sights) open(query string) (live.Model, error) {
	m := &sight{server: g.Server, look: g.look, c: g.like(query), changed: jet.NewWake()}
	v, err := g.look(m.c)
	if err = cmp.Or(err, v.Refused); err != nil {
		return nil, err
	}
	follow := v.Follow
	if follow == nil {
		return nil, errNotFollowed
	}
	m.run = follow.Run
	m.forget = g.shown.wake(m.changed, follow.Changes...)
	if follow.Check == nil {
		return m, nil
	}
	parts, err := g.loaded()
	if err == nil {
		m.check, err = parts.Checks.Open(subjectOf(m.c), follow.Check.WorkflowID)
	}
	if err != nil {
		m.forget()
		return nil, err
	}
	m.check.OnWake(m.changed.Up)
	m.check.Submit(follow.Check.Request)
	return m, nil
}

// sight is what a page shows: a live.Model.
type sight struct {
	server  *Server
	look    func(echo.Context) (ui.View, error)
	c       echo.Context
	run     string // whose output may be followed; empty: none's
	changed jet.Wake
	forget  func()
	check   *check.Stream // nil: the page asks nothing
}

// Changed implements live.Model.
func (m *sight) Changed() <-chan struct{} { return m.changed }

// Look implements live.Model.
func (m *sight) Look(ctx context.Context) (told []byte, again time.Duration, err error) {
	m.c.SetRequest(m.c.Request().WithContext(ctx))
	err = m.server.guard(func() error {
		told, again, err = m.render()
		return err
	})
	var over *carry.Ending
	if err == nil || errors.As(err, &over) {
		return told, again, err
	}
	p := cmp.Or(problemOf(err), errInternal)
	if p.Status == http.StatusNotFound || p.Status == http.StatusGone {
		return nil, 0, errGone
	}
	told, err = say("stale", "why", inWords(err))
	return told, lookAgain, err
}

func (m *sight) render() (told []byte, again time.Duration, err error) {
	for ok := m.check != nil; ok; { // which also has it watch the planners that it needs
		if _, ok, err = m.check.Poll(); err != nil {
			return nil, 0, errGone
		}
	}
	v, err := m.look(m.c)
	if err = cmp.Or(err, v.Refused); err != nil {
		return nil, 0, err
	}
	if v.Age > 0 {
		told, err = say("stale", "why", fmt.Sprintf("NATS is out of reach; this is %d s old", int(v.Age.Seconds())))
		return told, lookAgain, err
	}
	html, err := v.Content()
	if err != nil {
		return nil, 0, err
	}
	if v.Follow != nil {
		again = v.Follow.Every
	}
	told, err = say("view", "html", string(html))
	return told, again, err
}

// Close implements live.Model.
func (m *sight) Close() {
	m.forget()
	if m.check != nil {
		m.check.Close()
	}
}

// say is a message to a page.
func say(kind, name, text string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // no page has it as a part
	err := enc.Encode(map[string]string{"type": kind, name: text})
	return bytes.TrimSuffix(b.Bytes(), lineEnd), err
}
