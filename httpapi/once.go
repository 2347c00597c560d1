package httpapi

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/digest"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

// idempotencyKey is the header by which a client says that a request is the one that it has made before
// (draft-ietf-httpapi-idempotency-key-header).
const (
	idempotencyKey    = "Idempotency-Key"
	maxIdempotencyKey = 128
)

var (
	errInProgress   = newProblem(http.StatusConflict, "the request with this Idempotency-Key is in progress").after(retryInProgress)
	errOtherRequest = newProblem(http.StatusUnprocessableEntity, "this Idempotency-Key was used for another body; a new request takes a new key")
)

// once has a route do once what is asked for again with the same key: the first answer, if it tells of success, is
// given to all who ask after. What is answered so is shown only to those whom show lets see it.
//
// What is refused for what it says, by reads, or because what it is about is not there for who asks, claims no key.
//
// The claim on a key stands before anything is done, and is a part of the commit that books: see plan.Claim. So a
// replica that dies between the commit and the answer leaves word of what was made, and what is asked for once more
// is answered with that; and one that comes to itself late commits nothing.
func (s *Server) once(show func(echo.Context) error, reads func(body []byte) error, handle echo.HandlerFunc) echo.HandlerFunc {
	return (&repeatable{s, show, reads, handle}).serve
}

// readsWish reads the body of a request that books.
func readsWish(kind schedule.Body) func([]byte) error {
	return func(body []byte) error {
		_, err := schedule.DecodeRequest(wishOf(kind, body), kind)
		return err
	}
}

// readsReason reads that of one that ends something.
func readsReason(body []byte) error {
	_, err := decodeReason(body)
	return err
}

// readsNothing is for routes that take no body.
func readsNothing([]byte) error { return nil }

// repeatable is a route that does once what is asked for again.
type repeatable struct {
	*Server
	show   func(echo.Context) error
	reads  func(body []byte) error
	handle echo.HandlerFunc
}

func (r *repeatable) serve(c echo.Context) error {
	keys := c.Request().Header.Values(idempotencyKey)
	if len(keys) == 0 {
		return r.handle(c)
	}
	parts, name, err := r.addressed(c)
	if err != nil {
		return err
	}
	if len(keys) > 1 || keys[0] == "" || len(keys[0]) > maxIdempotencyKey {
		return fault.List{{Path: idempotencyKey, Message: "must be one header of 1 to 128 bytes"}}
	}
	body, err := r.body(c)
	if err != nil {
		return err
	}
	if err := r.reads(body); err != nil {
		return err
	}
	if err := r.show(c); err != nil {
		return err
	}
	c.Request().Body = io.NopCloser(bytes.NewReader(body))
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	claim, err := parts.Plan.Claim(ctx, digest.Name(subjectOf(c).ID, c.Path(), name, keys[0]), digest.Name(string(body), c.QueryString()))
	switch {
	case err != nil:
		return ofWrite(err)
	case claim.Answer == nil:
		c.Set(claimKey, claim)
		return r.settle(c, claim)
	}
	return again(c, claim.Answer)
}

// settle answers, and keeps the answer with the claim; one that is none of success gives the claim up.
func (r *repeatable) settle(c echo.Context, claim *plan.Claim) error {
	w := c.Response()
	kept := &keeper{ResponseWriter: w.Writer}
	w.Writer = kept
	err := r.handle(c)
	w.Writer = kept.ResponseWriter
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request().Context()), natsWithin)
	defer cancel()
	if err != nil {
		if lost := claim.Release(ctx); lost != nil {
			r.log.DebugContext(ctx, "a claim stands until its time is over", "error", lost, "request_id", requestIDOf(c))
		}
		return err
	}
	answer := plan.Answer{Status: kept.status, Location: w.Header().Get(echo.HeaderLocation), Body: kept.body.Bytes()}
	if lost := claim.Keep(ctx, answer); lost != nil { // it is told of what was made
		r.log.WarnContext(ctx, "an answer is not kept for the next who asks", "error", lost, "request_id", requestIDOf(c))
	}
	kept.ResponseWriter.WriteHeader(kept.status)
	_, err = kept.ResponseWriter.Write(kept.body.Bytes())
	return err
}

// keeper keeps an answer back.
type keeper struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// Unwrap lets http.ResponseController find the connection.
func (k *keeper) Unwrap() http.ResponseWriter { return k.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (k *keeper) WriteHeader(status int) { k.status = status }

// Write implements http.ResponseWriter.
func (k *keeper) Write(p []byte) (int, error) { return k.body.Write(p) }

// again gives an answer that was given before.
func again(c echo.Context, a *plan.Answer) error {
	if a.Location != "" {
		c.Response().Header().Set(echo.HeaderLocation, a.Location)
	}
	c.Response().Header()[echo.HeaderCacheControl] = noStore
	return c.JSONBlob(a.Status, slices.Concat(a.Body, lineEnd))
}

// claimKey is where echo's context has the claim under which a request is handled.
const claimKey = "claim"

// askedBy is who asks for a booking.
func askedBy(c echo.Context, workflowID string) booking.Asked {
	claim, _ := c.Get(claimKey).(*plan.Claim) // nil: none
	return booking.Asked{WorkflowID: workflowID, By: subjectOf(c).ID, Who: subjectOf(c), Claim: claim}
}

// ofWorkflow fails with errNoWorkflow when the workflow in the path is not there for who asks.
func (s *Server) ofWorkflow(c echo.Context) error {
	parts, workflowID, err := s.addressed(c)
	if err != nil || parts.Shows(subjectOf(c), workflowID) {
		return err
	}
	_, err = s.workflow(c, parts, workflowID)
	return err
}

// ofBooking fails with errNoBooking when the schedule or hold in the path is not there for who asks.
func (s *Server) ofBooking(c echo.Context) error {
	_, _, err := s.bookingOf(c)
	return err
}

// ofRun fails with errNoRun when the run in the path is not there for who asks.
func (s *Server) ofRun(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	_, _, err := s.runOf(ctx, c)
	return err
}
