package logstream

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jonboulle/clockwork"
)

// Defaults of Files.
const (
	DefaultMaxBytesPerExecution = 64 << 20
	DefaultMaxTotalBytes        = 4 << 30
	DefaultMaxAge               = 7 * 24 * time.Hour
)

// minBytesPerExecution leaves room for some output besides the words of Files.
const minBytesPerExecution = 4 << 10

// FilesConfig are the limits of Files.
type FilesConfig struct {
	MaxBytesPerExecution int64           // on disk; what comes after is not kept; 0: DefaultMaxBytesPerExecution
	MaxTotalBytes        int64           // on disk; the oldest output that has ended gives way; 0: DefaultMaxTotalBytes
	MaxAge               time.Duration   // output is kept that long after its end; 0: DefaultMaxAge
	Clock                clockwork.Clock // nil: the real one
	Logger               *slog.Logger    // nil: none
}

func (c *FilesConfig) setDefaults() {
	c.MaxBytesPerExecution = cmp.Or(c.MaxBytesPerExecution, DefaultMaxBytesPerExecution)
	c.MaxTotalBytes = cmp.Or(c.MaxTotalBytes, DefaultMaxTotalBytes)
	c.MaxAge = cmp.Or(c.MaxAge, DefaultMaxAge)
	c.Clock = cmp.Or(c.Clock, clockwork.NewRealClock())
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	c.Logger = c.Logger.With("component", "logfiles")
}

// Validate reports all that is wrong with c.
func (c FilesConfig) Validate() error {
	var errs []error
	if b := c.MaxBytesPerExecution; b != 0 && b < minBytesPerExecution {
		errs = append(errs, fmt.Errorf("%d bytes per execution, at least %d are needed", b, minBytesPerExecution))
	}
	if c.MaxTotalBytes < 0 {
		errs = append(errs, fmt.Errorf("%d bytes in total", c.MaxTotalBytes))
	}
	if c.MaxAge < 0 {
		errs = append(errs, fmt.Errorf("kept for %v", c.MaxAge))
	}
	return errors.Join(errs...)
}
