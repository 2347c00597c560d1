package natstest

import (
	"os"
	"testing"
)

// Empty removes all that the server has stored, as the loss of its disk does; it must not run.
func (s *Server) Empty(tb testing.TB) {
	tb.Helper()
	if s.Running() {
		tb.Fatalf("natstest: %s is to be emptied while it runs", s.Name())
	}
	if err := os.RemoveAll(s.opts.StoreDir); err != nil {
		tb.Fatalf("natstest: %v", err)
	}
}
