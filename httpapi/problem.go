package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/fault"
)

const (
	problemType = "application/problem+json"
	// retrySoon is what a client is told to wait while this replica starts or is out of NATS's reach.
	retrySoon = 2 * time.Second
	// retryLimited is what a client above a limit is told to wait.
	retryLimited = 5 * time.Second
	// retryInProgress is what a client is told to wait whose request is handled already.
	retryInProgress = time.Second
)

// Problem is what a client is told of an error, written as application/problem+json (RFC 9457).
type Problem struct {
	Type   string     `json:"type"` // about:blank: the status says it all
	Title  string     `json:"title"`
	Status int        `json:"status"`
	Detail string     `json:"detail,omitempty"`
	Errors fault.List `json:"errors,omitempty"` // what is wrong with the body or the parameters
	Checks []Standing `json:"checks,omitempty"` // of /readyz?verbose

	Result          json.RawMessage `json:"result,omitempty"`           // of a check: why something can't be booked
	MissingPlanners []string        `json:"missing_planners,omitempty"` // peers whose planners booking needs

	retryAfter time.Duration // zero: no Retry-After header
}

// newProblem makes a problem of a status with a detail for people.
func newProblem(status int, format string, args ...any) *Problem {
	return &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: fmt.Sprintf(format, args...)}
}

// invalid is the problem of well-formed input with faults.
func invalid(faults fault.List) *Problem {
	p := newProblem(http.StatusUnprocessableEntity, "%d fault(s) in what was sent; see errors", len(faults))
	p.Errors = faults
	return p
}

// after adds the time to wait before the next try.
func (p *Problem) after(d time.Duration) *Problem {
	p.retryAfter = d
	return p
}

// Error is the problem in one line.
func (p *Problem) Error() string { return fmt.Sprintf("%d %s: %s", p.Status, p.Title, p.Detail) }

// write answers with the problem.
func (p *Problem) write(c echo.Context) error {
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, problemType)
	h.Set(echo.HeaderCacheControl, "no-store")
	if p.Status == http.StatusUnauthorized {
		h.Set(echo.HeaderWWWAuthenticate, "Bearer") // without a word why
	}
	if p.retryAfter > 0 {
		h.Set(echo.HeaderRetryAfter, seconds(p.retryAfter))
	}
	if c.Request().Method == http.MethodHead {
		return c.NoContent(p.Status)
	}
	doc, err := p.doc()
	if err != nil {
		return err
	}
	return answerJSON(c, p.Status, problemType, doc)
}

// doc is the problem in JSON, with names as they are: no page has it as a part, where <, > and & would matter.
func (p *Problem) doc() ([]byte, error) {
	var doc bytes.Buffer
	enc := json.NewEncoder(&doc)
	enc.SetEscapeHTML(false)
	err := enc.Encode(p)
	return bytes.TrimSuffix(doc.Bytes(), lineEnd), err
}
