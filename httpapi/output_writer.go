package httpapi

import (
	"encoding/json"
	"strconv"

	"oc-scheduler/store/execution"
	"oc-scheduler/streams/logstream"
)

// outputWriter writes output as it is, or as events: output, with the offset after it as id, and in the
// end either end, with the execution, or error, with a problem.
type outputWriter struct {
	*eventWriter
	carrier string
}

func (w *outputWriter) chunk(c logstream.Chunk) error {
	if w.carrier == carrierText {
		return w.write(c.Data)
	}
	return w.object("output", strconv.FormatUint(c.Offset, 10), c)
}

func (w *outputWriter) end(e execution.Execution) error { return w.object("end", "", forAll(e)) }

// comment keeps proxies from closing a silent connection; text has nothing of the kind.
func (w *outputWriter) comment() error {
	if w.carrier == carrierText {
		return nil
	}
	return w.write([]byte(":\n\n"))
}

// fail tells why the output ends before its time.
func (w *outputWriter) fail(err error) error {
	problem := problemOf(err)
	if problem == nil {
		problem = errInternal
	}
	return w.object("error", "", problem)
}

func (w *outputWriter) object(name, id string, object any) error {
	if w.carrier == carrierText {
		return nil
	}
	line, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return w.named(name, id, line)
}
