package ui

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"strings"
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

// view makes a handler of what can be looked at. By a WebSocket of the same address an open page follows it.
func (s *Site) view(of func(echo.Context, *Parts) (View, error)) echo.HandlerFunc {
	once := s.page(func(c echo.Context, p *Parts) error {
		v, err := of(c, p)
		if err != nil {
			return err
		}
		return s.show(c, v)
	})
	return func(c echo.Context) error {
		if !c.IsWebSocket() {
			return once(c)
		}
		return s.Live(c, func(c echo.Context) (View, error) {
			parts, err := s.Loaded()
			if err != nil {
				return View{}, err
			}
			return of(c, parts)
		})
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
	v := View{Status: p.Status, Template: "problem.html", Title: p.Title, Stranger: true}
	if c.Request().Method != http.MethodPost && p.RetryAfter != "" {
		p.Again, v.Retry = c.Request().URL.RequestURI(), p.RetryAfter
	}
	p.Ask = nextOf(c, p.Answer)
	v.Body = p
	return s.show(c, v)
}

// nextOf is the address that asks for what would fit instead of what was to be booked; empty: there is none.
func nextOf(c echo.Context, a *Answer) string {
	if a == nil || a.NextSlot == nil || !strings.HasPrefix(c.Path(), "/ui/workflows/:id/") {
		return ""
	}
	workflowID, err := pathID(c)
	if err != nil {
		return ""
	}
	ask := url.Values{
		"start": {iso(a.NextSlot.Start)}, "duration": {a.NextSlot.End.Sub(a.NextSlot.Start).String()},
		"selected_instances": c.Request().PostForm["selected_instances"], holdFor: c.Request().PostForm[holdFor],
	}
	return address("workflows", workflowID) + "?" + ask.Encode()
}

// View is what every page has.
type View struct {
	Status   int    // of the answer; 0: 200
	Template string // its file
	Title    string
	Now      time.Time     // when it was rendered
	Age      time.Duration // how old that is which it shows; 0: it is current
	// Stranger says that nobody knows who asks.
	Stranger bool
	// Who is logged in, and can log out; nil: nobody has to, or none is.
	Who *access.Subject
	// Operates says that who asks may do what operators do.
	Operates bool
	// Follow is what an open page follows; nil: it stays as it is.
	Follow *Follow
	// Refused is what is wrong with what was asked for, as the page says at its fields; nil: nothing is.
	Refused error
	// Changed says that a form said something else than what was checked, and is asked anew.
	Changed bool
	// Retry is after how many seconds an open page is to be asked for again; empty: never.
	Retry string
	// Again is where the page leads at once; empty: it stays.
	Again string
	Body  any

	keys *keys // of this rendering; nil: the page that is told of it has its own
}

// keys are those of the forms of one rendering, which is one press of any of them.
type keys struct {
	text string
	used bool
}

// Key is what a form is known by when it is sent again. A page that stays open keeps its own: what it is told of is rendered
// for many.
func (v View) Key() string {
	if v.keys == nil {
		return ""
	}
	v.keys.used = true
	return v.keys.text
}

// show renders a page. It is made whole before anything is sent: half a page is worse than none.
func (s *Site) show(c echo.Context, v View) error {
	if v.Now = s.Now(); s.LoggedIn(c) {
		v.Who = s.Subject(c)
	}
	v.Operates = !v.Stranger && access.Decide(s.Subject(c), access.Operate) == access.Allowed
	v.keys = &keys{text: rand.Text()}
	page, err := v.render(v.Template)
	if err != nil {
		return err
	}
	status := cmp.Or(v.Status, http.StatusOK)
	kept := "no-cache"
	if s.Secret || v.keys.used {
		kept = "no-store"
	}
	c.Response().Header().Set(echo.HeaderCacheControl, kept)
	if c.Request().Method == http.MethodHead {
		c.Response().Header().Set(echo.HeaderContentType, echo.MIMETextHTMLCharsetUTF8)
		return c.NoContent(status)
	}
	return c.HTMLBlob(status, page)
}

// Content renders what lies within the frame that all pages have: what an open page is told.
func (v View) Content() ([]byte, error) { return v.render("content") }

func (v View) render(name string) ([]byte, error) {
	var page bytes.Buffer
	if err := templates[v.Template].ExecuteTemplate(&page, name, v); err != nil {
		return nil, errors.Join(errors.New("rendering "+v.Template), err)
	}
	return bytes.TrimSpace(page.Bytes()), nil
}
