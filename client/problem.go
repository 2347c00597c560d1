package client

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// What errors.Is tells of an error.
var (
	ErrNotModified  error = errors.New("not modified")    // a document has the entity tag that IfNoneMatch names
	ErrUnauthorized error = kind(http.StatusUnauthorized) // no token was shown, or none that lives
	ErrNotFound     error = kind(http.StatusNotFound)     // there is no such thing, or not for whoever asks
	ErrGone         error = kind(http.StatusGone)         // it is no more, as a hold that has run out
)

// kind is what a problem is by its status.
type kind int

func (k kind) Error() string { return http.StatusText(int(k)) }

// Problem is an answer that tells of an error (RFC 9457).
type Problem struct {
	Type            string           `json:"type"`
	Title           string           `json:"title"`
	Status          int              `json:"status"`
	Detail          string           `json:"detail,omitempty"`
	Errors          []Fault          `json:"errors,omitempty"`           // all that is wrong with what was sent
	Checks          []ReadinessCheck `json:"checks,omitempty"`           // of Ready: what is amiss
	Result          *CheckResult     `json:"result,omitempty"`           // why something can't be booked
	MissingPlanners []string         `json:"missing_planners,omitempty"` // peers whose planners booking needs

	RetryAfter time.Duration   `json:"-"` // after which it is worth trying again; 0: nothing is said of that
	Document   json.RawMessage `json:"-"` // as it came, whatever that is
}

// Fault is what is wrong with a place of a document, or with a parameter.
type Fault struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// Error is the most specific there is: the faults, else the detail, else the title.
func (p *Problem) Error() string {
	faults := make([]string, len(p.Errors))
	for i, e := range p.Errors {
		faults[i] = strings.TrimPrefix(e.Path+": "+e.Message, ": ")
	}
	return cmp.Or(strings.Join(faults, "; "), p.Detail, p.Title)
}

// Is says whether it is of a kind.
func (p *Problem) Is(target error) bool { return target == kind(p.Status) }

// readProblem never fails: a proxy's HTML page is an answer, too, and a line of text says more than its status.
func readProblem(resp *http.Response) *Problem {
	p := &Problem{}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxProblem))
	if err != nil || json.Unmarshal(bytes.TrimSpace(body), p) != nil || p.Title == "" {
		p = &Problem{Title: http.StatusText(resp.StatusCode)}
		kind, line := resp.Header.Get("Content-Type"), strings.TrimSpace(string(body))
		plain := kind == "" || strings.HasPrefix(kind, "text/plain")
		if plain && len(line) <= maxLine && !strings.Contains(line, "\n") {
			p.Detail = line
		}
	}
	p.Status, p.Document = resp.StatusCode, body
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		p.RetryAfter = time.Duration(seconds) * time.Second
	}
	return p
}

const (
	maxProblem = 1 << 20 // bounds a problem
	maxLine    = 200     // bounds what is told of an answer that is none
)
