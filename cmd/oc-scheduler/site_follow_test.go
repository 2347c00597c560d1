package main

import (
	"bytes"
	"sync"
	"testing"
)

// following is a command that ends with an execution.
type following struct {
	end <-chan outcome

	mu  sync.Mutex
	out bytes.Buffer
}

// Write implements io.Writer.
func (f *following) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.out.Write(p)
}

// shown is what it has written so far.
func (f *following) shown() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.out.String()
}

func (s *site) follow(t *testing.T, args ...string) *following {
	t.Helper()
	end := make(chan outcome, 1)
	f := &following{end: end}
	go func() {
		var stderr bytes.Buffer
		code := run(t.Context(), args, lookupIn(map[string]string{"OC_SERVER": s.url}), f, &stderr)
		end <- outcome{code, f.shown(), stderr.String()}
	}()
	return f
}
