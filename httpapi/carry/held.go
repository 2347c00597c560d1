package carry

import (
	"context"
	"net/http"
	"time"
)

// Held is an answer that has begun as an event stream before there is anything to tell.
type Held struct {
	http.ResponseWriter // what follows goes on here: the header has been sent

	answer *answer
	every  time.Duration
}

// Hold begins an event stream whose source is not there yet. The error is one of writing.
func (c *Carriers) Hold(w http.ResponseWriter) (*Held, error) {
	a := newAnswer(w, c.cfg.WriteWithin, Events)
	h := &Held{a.bare, a, c.cfg.CommentEvery}
	h.answer.announce()
	if err := h.answer.begin(nil); err != nil {
		return nil, err
	}
	return h, h.answer.write([]byte(":\n\n"))
}

// WriteHeader does nothing.
func (h *Held) WriteHeader(int) {}

// Unwrap is for http.ResponseController.
func (h *Held) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// Until asks ready, first after a while and then again and again, and keeps the connection open until it says yes. The
// error is the cause of ctx's end, or one of writing.
func (h *Held) Until(ctx context.Context, every time.Duration, ready func() bool) error {
	quiet, stop := h.answer.comments(h.every)
	defer stop()
	look := time.NewTicker(every)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-quiet:
			if err := h.answer.write([]byte(":\n\n")); err != nil {
				return err
			}
		case <-look.C:
			if ready() {
				return nil
			}
		}
	}
}

// Fail ends the stream with a frame.
func (h *Held) Fail(f Frame) error { return h.answer.frame(f) }

// Elsewhere ends an event stream as soon as it has begun: a browser comes again on another connection, and so to another
// replica, as after the end of one that was open. The error is one of writing.
func (c *Carriers) Elsewhere(w http.ResponseWriter) error {
	a := newAnswer(w, c.cfg.WriteWithin, Events)
	a.announce()
	w.Header().Set("Connection", "close")
	if err := a.begin(nil); err != nil {
		return err
	}
	return a.write([]byte(comeAgain + "\n"))
}
