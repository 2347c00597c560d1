package execute_test

import (
	"io"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/internal/peer/execute"
)

// BenchmarkProcess is what an execution costs besides what it does: two starts of this executable.
func BenchmarkProcess(b *testing.B) {
	cfg := execute.Config{Type: execute.KindProcess, Commands: []string{"true"}}
	cfg.SetDefaults()
	executor, err := execute.New(cfg, filepath.Join(b.TempDir(), "work"), clockwork.NewRealClock(), slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := executor.Run(b.Context(), execute.Task{ID: "x", Command: []string{"true"}}, io.Discard, io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
