package httpapi

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/carry"
	"oc-scheduler/store/booking"
	"oc-scheduler/store/fault"
)

// getCheck serves one path by three carriers: a WebSocket, server-sent events, or one answer, which
// may wait as that of postCheck does.
func (s *Server) getCheck(c echo.Context) error {
	c.Response().Header().Add(echo.HeaderVary, "Accept")
	parts, workflowID, err := s.addressed(c)
	if err != nil {
		return err
	}
	switch r := c.Request(); {
	case carry.Upgrades(r):
		return s.serveWebSocket(c, parts, workflowID)
	case r.Method == http.MethodGet && prefersEvents(r):
		return s.serveEvents(c, parts, workflowID)
	}
	q := parseQuery(c.Request())
	request, err := booking.ParseQuery(q.values, waitParameter)
	wait := s.waiting(q)
	if err := fault.All(q.faults.Err(), err); err != nil {
		return err
	}
	if wait > 0 { // peers may be asked
		if err := s.origins.check(c.Request()); err != nil {
			return err
		}
	}
	frame, err := s.ask(c, parts, workflowID, request, wait, nil)
	if err != nil {
		return err
	}
	if done, err := tagged(c, etag(frame.Version)); done || err != nil {
		return err
	}
	return answerJSON(c, http.StatusOK, echo.MIMEApplicationJSON, frame.JSON)
}

// answerJSON answers with a document on a line of its own, as terminals and tools for lines want it.
// The document may be shared: the end of the line is written after it, not into a copy.
func answerJSON(c echo.Context, status int, contentType string, doc []byte) error {
	if err := c.Blob(status, contentType, doc); err != nil {
		return err
	}
	_, err := c.Response().Write(lineEnd)
	return err
}

var lineEnd = []byte{'\n'}

// postCheck answers the request in the body, once, or as a stream would while ?wait= lasts.
func (s *Server) postCheck(c echo.Context) error {
	parts, workflowID, err := s.addressed(c)
	if err != nil {
		return err
	}
	body, err := s.body(c)
	if err != nil {
		return err
	}
	request, err := booking.DecodeRequest(body)
	q := readQuery(c.Request(), waitParameter)
	wait := s.waiting(q)
	if err := fault.All(err, q.faults.Err()); err != nil {
		return err
	}
	frame, err := s.ask(c, parts, workflowID, request, wait, nil)
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h[headerETag] = []string{etag(frame.Version)}
	h[echo.HeaderCacheControl] = noStore
	h[echo.HeaderContentType] = asJSON
	return answerJSON(c, http.StatusOK, echo.MIMEApplicationJSON, frame.JSON)
}

// wish is what the query of a check stream says.
type wish struct {
	request booking.Request // where it is asked
	asked   bool
	every   time.Duration // between two frames at least
}

// wished reads the query of a check stream: a request, unless it is empty and that is fine. The error is a fault.List.
func wished(r *http.Request, mayBeEmpty bool) (wish, error) {
	q := parseQuery(r)
	w := wish{every: q.every()}
	delete(q.values, rateParameter)
	faults := q.faults.Err()
	if w.asked = !mayBeEmpty || len(q.values) > 0; !w.asked {
		return w, faults
	}
	var err error
	w.request, err = booking.ParseQuery(q.values)
	return w, fault.All(faults, err)
}

// prefersEvents reports whether the client would rather have text/event-stream than JSON (RFC 9110,
// section 12.5.1): by weight, then by what stands first.
func prefersEvents(r *http.Request) bool {
	var events, single float64
	for accepted := range strings.SplitSeq(strings.Join(r.Header.Values(echo.HeaderAccept), ","), ",") {
		kind, parameters, err := mime.ParseMediaType(accepted)
		if err != nil {
			continue
		}
		weight, ok := qvalue(parameters["q"])
		if !ok {
			continue
		}
		switch kind {
		case carry.TypeEvents:
			if weight > single {
				events = max(events, weight)
			}
		case "application/json", "*/*", "application/*":
			single = max(single, weight)
		}
	}
	return events > 0 && events >= single
}

// qvalue is a weight (RFC 9110, section 12.4.2), 1 where there is none.
func qvalue(text string) (weight float64, ok bool) {
	if text == "" {
		return 1, true
	}
	weight, err := strconv.ParseFloat(text, 64)
	return weight, err == nil && len(text) <= len("0.123") && strings.Trim(text, "0123456789.") == "" && weight <= 1
}
