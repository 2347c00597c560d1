package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"oc-scheduler/httpapi/carry"
)

// text is the next piece of output, as it is.
func (o *output) text(ctx context.Context) (carry.Frame, error) {
	chunk, err := o.next(ctx)
	if errors.Is(err, io.EOF) {
		err = carry.Done
	}
	return carry.Frame{Data: chunk.Data}, err
}

// event is the next event: output, with the offset after it as id, and in the end either end, with the
// execution, or error, with a problem.
func (o *output) event(ctx context.Context) (carry.Frame, error) {
	if o.over != nil {
		return carry.Frame{}, o.over
	}
	chunk, err := o.next(ctx)
	switch {
	case err == nil:
		return event("output", strconv.FormatUint(chunk.Offset, 10), chunk)
	case ctx.Err() != nil: // the carrier knows why
		return carry.Frame{}, context.Cause(ctx)
	case errors.Is(err, io.EOF):
		e := o.outcome(ctx)
		if o.sees(e) {
			o.over = carry.Done
			return event("end", "", forAll(e))
		}
		err = errNoExecution
	}
	o.over = carry.Fault
	problem := problemOf(err)
	if problem == nil {
		problem = errInternal
	}
	return event(eventError, "", problem)
}

func event(name, id string, object any) (carry.Frame, error) {
	line, err := json.Marshal(object)
	return carry.Frame{Event: name, ID: id, Data: line}, err
}
