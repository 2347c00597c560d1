package httpapi

import (
	"context"
	"errors"
	"io"
	"time"

	"oc-scheduler/store/access"
	"oc-scheduler/store/execution"
	"oc-scheduler/streams/logstream"
)

const (
	// outputLook is the time between two looks for the output of an execution that is being started.
	outputLook = 25 * time.Millisecond
	// outcomeWithin is how long after its output the end of an execution may become known here.
	outcomeWithin = 10 * time.Second
)

// output is the output of an execution that a client asked for.
type output struct {
	parts   *Parts
	who     *access.Subject
	request logstream.Request
	known   execution.Execution // before the view shows it
	changed <-chan struct{}     // holds a token when the view may show another
	reader  logstream.Reader    // nil: there is none yet, or none at all
	over    error               // after the last event
}

func (o *output) close() {
	if o.reader != nil {
		_ = o.reader.Close() // it was only read
	}
}

// open begins to read, if there is anything to be read now. Errors are those of Outputs.
func (o *output) open(ctx context.Context) error {
	e := o.execution()
	if e.StartedAt.IsZero() {
		return o.later()
	}
	reader, err := o.parts.Outputs.Open(ctx, e.NodeID, o.request)
	if errors.Is(err, logstream.ErrNotFound) && !o.execution().State.Final() {
		return o.later() // it is being started
	}
	if err == nil {
		o.reader = reader
	}
	return err
}

// later notes that there is nothing yet: whatever comes is fresh.
func (o *output) later() error {
	if o.request.Fresh {
		o.request.Tail, o.request.Fresh = 0, false
	}
	return nil
}

func (o *output) execution() execution.Execution {
	if entry, shown := o.parts.Executions.Get(o.request.ExecutionID); shown {
		return entry.Value
	}
	return o.known
}

// sees says whether an execution is still there for who follows.
func (o *output) sees(e execution.Execution) bool { return seesExecution(o.parts, o.who, e) }

// next is the next chunk, or io.EOF at the end of all that there is, and to whom follows of all that comes.
func (o *output) next(ctx context.Context) (logstream.Chunk, error) {
	for o.reader == nil {
		e := o.execution()
		if !o.request.Follow || e.State.Final() && e.StartedAt.IsZero() {
			return logstream.Chunk{}, io.EOF
		}
		if err := o.wait(ctx, !e.StartedAt.IsZero()); err != nil {
			return logstream.Chunk{}, err
		}
		if err := o.open(ctx); err != nil {
			return logstream.Chunk{}, err
		}
	}
	chunk, err := o.reader.Next(ctx)
	if err == nil && !o.sees(o.execution()) { // its workflow has gone to other groups
		err = errNoExecution
	}
	if o.request.Follow && errors.Is(err, logstream.ErrNotFound) { // the node has lost it
		err = io.EOF
	}
	return chunk, err
}

// outcome is how an execution stands after its output; to whom follows it is the end, if that becomes
// known in time.
func (o *output) outcome(ctx context.Context) execution.Execution {
	ctx, cancel := context.WithTimeout(ctx, outcomeWithin)
	defer cancel()
	for o.request.Follow && !o.execution().State.Final() && o.wait(ctx, false) == nil {
	}
	return o.execution()
}

// wait returns when the execution may have changed, and of one that has begun also a moment later, for
// its output may be there before that. The error is ctx's.
func (o *output) wait(ctx context.Context, begun bool) error {
	var look <-chan time.Time
	if begun {
		look = time.After(outputLook)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-o.changed:
	case <-look:
	}
	return nil
}
