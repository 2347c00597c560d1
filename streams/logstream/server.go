package logstream

import (
	"context"
	"errors"
	"time"
)

// ErrNotFound says that the node knows no such execution, or keeps its output no longer.
var ErrNotFound = errors.New("no output of that execution")

// Request asks for the output of an execution.
type Request struct {
	ExecutionID string `json:"execution_id"`
	Follow      bool   `json:"follow,omitempty"` // wait for more until the execution ends
	Tail        int    `json:"tail,omitempty"`   // last lines only; 0: from the start
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
	Time   time.Time `json:"time,omitzero"` // when it was written
	Data   []byte    `json:"data"`
}

// Server has the output of executions. Many readers may be open at a time.
type Server interface {
	// OpenLog begins to read. It fails with ErrNotFound.
	OpenLog(ctx context.Context, r Request) (Reader, error)
}

// Reader reads one output. It belongs to one goroutine.
type Reader interface {
	// Next waits for the next chunk. It fails with io.EOF at the end, and with ctx's error.
	Next(ctx context.Context) (Chunk, error)
	// Close ends the reading.
	Close() error
}
