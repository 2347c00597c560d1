package logstream

import (
	"context"
	"fmt"
	"time"

	"oc-scheduler/store/id"
)

// MaxChunk is the most data that a chunk carries on its way to a reader, in bytes.
const MaxChunk = 64 << 10

// Request asks for the output of an execution.
type Request struct {
	ExecutionID string `json:"execution_id"`
	Follow      bool   `json:"follow,omitempty"` // wait for more until the execution ends
	// Tail asks for the last lines only; 0: for all. A line ends with a line feed, whichever output it
	// came from; the rest after the last line feed is a line, too.
	Tail int `json:"tail,omitempty"`
	// Fresh asks for no line that is there, only for what comes. A node of the version before does not know
	// it: with a Tail of 1 it sends one line.
	Fresh bool `json:"fresh,omitempty"`
	// Offset is where to go on: the Chunk.Offset of the last chunk that a reader has. Tail and Fresh
	// are of no account when it is given.
	Offset uint64 `json:"offset,omitempty"`
}

// Validate says what a request lacks.
func (r Request) Validate() error {
	if err := id.Check(r.ExecutionID); err != nil {
		return fmt.Errorf("execution id: %w", err)
	}
	if r.Tail < 0 {
		return fmt.Errorf("a tail of %d lines", r.Tail)
	}
	return nil
}

// Source names one of the two outputs of a process.
type Source string

// Sources.
const (
	Stdout Source = "stdout"
	Stderr Source = "stderr"
)

// Chunk is a piece of output.
type Chunk struct {
	Source Source    `json:"source"`
	Time   time.Time `json:"time,omitzero"` // when its first byte was written
	Data   []byte    `json:"data"`
	// Offset is how many bytes of both outputs there are up to the end of Data.
	Offset uint64 `json:"offset"`
}

// Server has the output of executions. Many readers may be open at a time.
type Server interface {
	// OpenLog begins to read. It fails with ErrNotFound.
	OpenLog(ctx context.Context, r Request) (Reader, error)
}

// Reader reads one output. It belongs to one goroutine, but for Close.
type Reader interface {
	// Next waits for the next chunk; each begins where the one before it ended. It fails with io.EOF at
	// the end, and with ctx's error.
	Next(ctx context.Context) (Chunk, error)
	// Close ends the reading.
	Close() error
}
