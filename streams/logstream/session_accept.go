package logstream

import (
	"fmt"
	"io"

	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
)

var errGap = brokenError{"output is missing"}

// accept takes a message that could be read.
func (s *session) accept(m *envelope.Message) error {
	switch p := m.Payload.(type) {
	case *Chunk:
		return s.chunk(m.Sequence, *p)
	case *alive:
		if m.Sequence > s.last {
			return errGap
		}
		return nil
	case *ending:
		return s.ending(m.Sequence, *p)
	}
	return brokenError{fmt.Sprintf("a %s is no message to a reader", m.Type)}
}

// chunk hands a chunk on when it is the next one.
func (s *session) chunk(sequence uint64, c Chunk) error {
	size := uint64(len(c.Data))
	switch {
	case sequence <= s.last:
		return nil
	case sequence > s.last+1:
		return errGap
	case size == 0 || size > MaxChunk || c.Offset < size || c.Source != Stdout && c.Source != Stderr:
		return brokenError{fmt.Sprintf("a chunk from %q of %d bytes up to %d", c.Source, size, c.Offset)}
	case s.got+cost(c) > s.announced:
		return brokenError{"the node sends more than it may"}
	case s.request.Offset > 0 && c.Offset-size != s.request.Offset, s.request.Tail == 0 && !s.request.Fresh && c.Offset-size != s.request.Offset:
		return errGap
	}
	s.last = sequence
	s.got += cost(c)
	s.received += cost(c)
	s.request.Offset, s.request.Tail, s.request.Fresh = c.Offset, 0, false
	s.chunks <- c // there is room: the node was allowed to send it
	return nil
}

// ending tells what the end means.
func (s *session) ending(sequence uint64, e ending) error {
	switch {
	case e.Code == codeUnknown:
		return brokenError{"the node has given up the stream"}
	case sequence != s.last+1:
		return errGap
	}
	switch e.Code {
	case codeEnd:
		return io.EOF
	case codeNotFound:
		return ErrNotFound
	case codeStopping:
		return brokenError{"the node ends its connection"}
	case codeBusy:
		if s.began {
			return brokenError{ncl.Reason(e.Detail)}
		}
	}
	return &ncl.RefusedError{Reason: ncl.Reason(e.Detail)}
}
