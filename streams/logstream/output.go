package logstream

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// Output is the output of one execution that runs. It is safe for concurrent use; what is written to
// either side keeps its order.
type Output struct {
	files *Files
	name  string
	file  *os.File

	mu      sync.Mutex
	size    int64  // of the file, whole records only
	offset  uint64 // of the output
	midLine bool   // it does not end with a line feed
	cut     bool   // nothing is kept any more
	ended   bool
	fault   error         // why it was cut, when the disk failed
	changed chan struct{} // closed at the next change; nil while nobody waits
}

// Stdout takes what the execution writes to its standard output. Writing fails with ErrClosed only: an
// execution does not end because of its output. What is beyond the limit, or what a full disk does not
// take, is left out, and the output says so.
func (o *Output) Stdout() io.Writer { return side{o, kindStdout} }

// Stderr is Stdout for the standard error output.
func (o *Output) Stderr() io.Writer { return side{o, kindStderr} }

type side struct {
	*Output
	kind kind
}

// Write keeps p as it is now.
func (s side) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return 0, ErrClosed
	}
	for rest := p; len(rest) > 0 && !s.cut; {
		piece := rest[:min(len(rest), MaxChunk)]
		rest = rest[len(piece):]
		s.keepLocked(s.kind, piece)
	}
	s.wakeLocked()
	return len(p), nil
}

// reserve is room for the words of Files and the end.
const reserve = 512

// keepLocked appends a piece, as far as the limit allows.
func (o *Output) keepLocked(k kind, piece []byte) {
	limit := o.files.cfg.MaxBytesPerExecution
	room := limit - reserve - o.size - recordFrame
	if fits := max(0, min(room, int64(len(piece)))); fits < int64(len(piece)) {
		o.cut = true
		piece = piece[:fits]
	}
	if len(piece) > 0 {
		o.appendLocked(k, piece)
	}
	if o.cut && o.fault == nil {
		o.noteLocked(fmt.Sprintf("output is longer than %d bytes on disk: the rest is not kept", limit))
	}
}

// noteLocked appends a line that Files itself has to say.
func (o *Output) noteLocked(text string) {
	line := "[" + text + "]\n"
	if o.midLine {
		line = "\n" + line
	}
	o.appendLocked(kindStderr, []byte(line))
}

// appendLocked writes a record. When the disk fails the output is cut at the last whole record.
func (o *Output) appendLocked(k kind, data []byte) {
	r := record{kind: k, time: o.files.cfg.Clock.Now(), offset: o.offset + uint64(len(data)), data: data}
	_, err := o.file.WriteAt(appendRecord(make([]byte, 0, r.size()), r), o.size)
	if err != nil {
		o.cut = true
		o.fault = errors.Join(o.fault, err, o.file.Truncate(o.size))
		return
	}
	o.size += r.size()
	o.offset = r.offset
	if len(data) > 0 {
		o.midLine = data[len(data)-1] != '\n'
	}
}

// Close marks the end: readers that follow end there. It fails when the disk did not take all of the
// output; it has ended all the same.
func (o *Output) Close() error {
	if !o.end() {
		return nil
	}
	o.files.ended(o)
	if err := errors.Join(o.fault, o.file.Sync(), o.file.Close()); err != nil {
		return fmt.Errorf("log files: %w", err)
	}
	return nil
}

// end writes the end. It reports whether that was not done before.
func (o *Output) end() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return false
	}
	if o.fault != nil {
		o.noteLocked("the disk did not take the output that belongs here")
	}
	o.appendLocked(kindEnd, nil)
	o.ended = true
	o.wakeLocked()
	return true
}

func (o *Output) wakeLocked() {
	if o.changed != nil {
		close(o.changed)
		o.changed = nil
	}
}

// state is how much of the file may be read, whether there will be more, and what is closed then.
func (o *Output) state() (size int64, ended bool, changed <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.changed == nil {
		o.changed = make(chan struct{})
	}
	return o.size, o.ended, o.changed
}
