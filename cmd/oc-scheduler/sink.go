package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
)

// sink is an output. It keeps its first error, and takes nothing after that: what was lost is told, by
// whoever wrote or else at the end of the program.
type sink struct {
	name string
	w    io.Writer

	mu  sync.Mutex
	err error
}

var _ io.Writer = (*sink)(nil)

// Write fails with a *writeError.
func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(p)
	if err != nil {
		if wrapped, ok := errors.AsType[*os.PathError](err); ok {
			err = wrapped.Err // without the path, which is the sink's name
		}
		s.err = &writeError{s.name, err}
	}
	return n, s.err
}

// failure is the first error of all writes; nil: there was none.
func (s *sink) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// writeError says that an output takes no more. Nothing mends it: no write is worth another try.
type writeError struct {
	name string
	err  error
}

func (e *writeError) Error() string { return fmt.Sprintf("writing to %s: %v", e.name, e.err) }

func (e *writeError) Unwrap() error { return e.err }

// lossOf is the error of a program whose output failed; err is what its command ended with. A reader
// who has gone has seen what he wanted: then nothing is said.
func lossOf(failure, err error) *exitError {
	if errors.Is(failure, syscall.EPIPE) {
		return &exitError{code: exitSignal + int(syscall.SIGPIPE)}
	}
	if _, told := errors.AsType[*writeError](err); told {
		failure = err
	}
	return &exitError{exitFailure, failure}
}
