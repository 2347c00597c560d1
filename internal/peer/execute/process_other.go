//go:build !linux

package execute

import (
	"errors"
	"log/slog"

	"github.com/jonboulle/clockwork"
)

// NewProcess fails: nothing but Linux promises that a program leaves no process behind.
func NewProcess(Config, string, clockwork.Clock, *slog.Logger) (Executor, error) {
	return nil, errors.New("executor process needs Linux")
}

// Keep has nothing to do where there are no keepers.
func Keep() {}
