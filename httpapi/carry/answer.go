package carry

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"
)

// The media types of answers that carry streams.
const (
	TypeEvents = "text/event-stream"
	TypeText   = "text/plain; charset=UTF-8"
)

// Events carries a source over the answer to a request, as server-sent events (WHATWG HTML, section 9.2).
// The goroutine of the request does all of it; ctx comes from Join. A source that is Done before its first
// frame has nothing for this client: the answer is 204, which tells a browser not to come again.
func (c *Carriers) Events(ctx context.Context, w http.ResponseWriter, s Source) *Ending {
	return c.carry(ctx, newAnswer(w, c.cfg.WriteWithin, Events), s)
}

// Text carries the data of a source's frames over the answer to a request, one behind the other. It does
// not return, but has net/http break the answer off, when the source ends other than Done: there is no
// other way to tell a client that this is not the end.
func (c *Carriers) Text(ctx context.Context, w http.ResponseWriter, s Source) *Ending {
	e := c.carry(ctx, newAnswer(w, c.cfg.WriteWithin, Text), s)
	if e != Done {
		panic(http.ErrAbortHandler)
	}
	return e
}

// answer is the body of an answer that carries a stream. What is written has to be taken within a time of
// its own: a server's WriteTimeout, which is for whole answers, does not apply.
type answer struct {
	*http.ResponseController
	response http.ResponseWriter
	bare     http.ResponseWriter // beneath all wrappers
	carrier  string
	within   time.Duration
	buffer   bytes.Buffer
	paused   bool // a browser was told when to come again
}

// comeAgain is for a browser's EventSource, whose connection has ended: how many milliseconds it waits. By itself it
// takes some seconds.
const comeAgain = "retry: 2000\n"

func newAnswer(w http.ResponseWriter, within time.Duration, carrier string) *answer {
	bare := w // a wrapper's Flush may swallow errors, and a client that is cut would look like one that left
	for u, ok := bare.(unwrapper); ok; u, ok = bare.(unwrapper) {
		bare = u.Unwrap()
	}
	return &answer{http.NewResponseController(bare), w, bare, carrier, within, bytes.Buffer{}, false}
}

type unwrapper interface{ Unwrap() http.ResponseWriter }

// announce says how the stream will come.
func (a *answer) announce() {
	h := a.response.Header()
	h.Set("Content-Type", TypeText)
	if a.carrier == Events {
		h.Set("Content-Type", TypeEvents)
	}
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would collect frames
}

// begin sends the header, of a source whose first Poll has ended as over says.
func (a *answer) begin(over error) error {
	if err := a.SetReadDeadline(time.Time{}); err != nil { // it would end the request's context
		return err
	}
	if a.carrier == Events && errors.Is(over, Done) {
		a.response.Header().Del("Content-Type")
		a.response.WriteHeader(http.StatusNoContent)
		return nil
	}
	a.response.WriteHeader(http.StatusOK)
	return a.write(nil)
}

// frame writes a frame: as it is, or as an event.
func (a *answer) frame(f Frame) error {
	if a.carrier == Text {
		return a.write(f.Data)
	}
	a.buffer.Reset()
	if !a.paused {
		a.buffer.WriteString(comeAgain)
		a.paused = true
	}
	a.buffer.WriteString("event: " + f.Event)
	if f.ID != "" {
		a.buffer.WriteString("\nid: " + f.ID)
	}
	a.buffer.WriteString("\ndata: ")
	a.buffer.Write(f.Data)
	a.buffer.WriteString("\n\n")
	return a.write(a.buffer.Bytes())
}

// write has the client take p, and all before it.
func (a *answer) write(p []byte) error {
	if err := a.SetWriteDeadline(time.Now().Add(a.within)); err != nil {
		return err
	}
	if _, err := a.response.Write(p); err != nil {
		return err
	}
	return a.Flush()
}
