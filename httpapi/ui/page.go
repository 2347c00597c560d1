package ui

import (
	"bytes"
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/access"
)

// policy lets a page load what this server has, and nothing else; nobody may frame it.
const policy = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

// page makes a handler of a view. What goes wrong under /ui/ is a page, too.
func (s *Site) page(view func(echo.Context, *Parts) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		guard(c)
		parts, err := s.Loaded()
		if err == nil {
			err = view(c, parts)
		}
		if err == nil || c.Response().Committed {
			return err
		}
		return s.failed(c, err)
	}
}

// guard has a browser hold a page to the policy.
func guard(c echo.Context) {
	h := c.Response().Header()
	h.Set(echo.HeaderContentSecurityPolicy, policy)
	h.Set(echo.HeaderReferrerPolicy, "same-origin")
}

// Fail shows a problem that came before the page.
func (s *Site) Fail(c echo.Context, err error) error {
	guard(c)
	return s.failed(c, err)
}

// failed shows a problem as a page.
func (s *Site) failed(c echo.Context, err error) error {
	p := s.Explain(c, err)
	if p.RetryAfter != "" {
		c.Response().Header().Set(echo.HeaderRetryAfter, p.RetryAfter)
	}
	return s.show(c, p.Status, "problem.html", View{Title: p.Title, Body: p})
}

// View is what every page has.
type View struct {
	Title string
	Now   time.Time // when it was rendered
	// Who is logged in, and can log out; nil: nobody has to, or none is.
	Who *access.Subject
	// Operates says that who asks may do what operators do.
	Operates bool
	// Live is the check stream of the page; nil: the page looks again by itself now and then.
	Live *Live
	// News is where the page is told that what it shows has changed; empty: nowhere.
	News string
	// Again is where the page leads at once; empty: it stays.
	Again string
	Body  any
}

// Live is a check stream: where it is, and what it is asked.
type Live struct{ Path, Question string }

// show renders a page. It is made whole before anything is sent: half a page is worse than none.
func (s *Site) show(c echo.Context, status int, name string, v View) error {
	if v.Now = s.Now(); s.LoggedIn(c) {
		v.Who = s.Subject(c)
	}
	if _, failed := v.Body.(Problem); !failed { // it may be that nobody knows who asks
		v.Operates = access.Decide(s.Subject(c), access.Operate) == access.Allowed
	}
	var page bytes.Buffer
	if err := templates[name].ExecuteTemplate(&page, name, v); err != nil {
		return errors.Join(errors.New("rendering "+name), err)
	}
	kept := "no-cache"
	if s.Secret {
		kept = "no-store"
	}
	c.Response().Header().Set(echo.HeaderCacheControl, kept)
	if c.Request().Method == http.MethodHead {
		c.Response().Header().Set(echo.HeaderContentType, echo.MIMETextHTMLCharsetUTF8)
		return c.NoContent(status)
	}
	return c.HTMLBlob(status, bytes.TrimSpace(page.Bytes()))
}
