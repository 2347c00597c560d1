package logstream

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/nats-io/nats.go"

	"oc-scheduler/store/id"
)

// Defaults of a Listener.
const (
	DefaultMaxStreams = 64
	DefaultKeepAlive  = time.Second
	DefaultReaderGone = 8 * time.Second
)

// ListenerConfig is what a Listener needs.
type ListenerConfig struct {
	Conn   *nats.Conn // stays the caller's
	NodeID string
	Server Server

	MaxStreams int             // that are open at a time; 0: DefaultMaxStreams
	KeepAlive  time.Duration   // between signs of life to readers; 0: DefaultKeepAlive
	ReaderGone time.Duration   // without a sign of life a reader counts as gone; 0: DefaultReaderGone
	Clock      clockwork.Clock // nil: the real one
	Logger     *slog.Logger    // nil: none
}

func (c *ListenerConfig) setDefaults() {
	c.MaxStreams = cmp.Or(c.MaxStreams, DefaultMaxStreams)
	c.KeepAlive = cmp.Or(c.KeepAlive, DefaultKeepAlive)
	c.ReaderGone = cmp.Or(c.ReaderGone, DefaultReaderGone)
	c.Clock = cmp.Or(c.Clock, clockwork.NewRealClock())
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
}

// Validate reports all that is wrong with c.
func (c ListenerConfig) Validate() error {
	var errs []error
	if c.Conn == nil {
		errs = append(errs, errors.New("a Conn is missing"))
	}
	if err := id.Check(c.NodeID); err != nil {
		errs = append(errs, fmt.Errorf("NodeID: %w", err))
	}
	if c.Server == nil {
		errs = append(errs, errors.New("Server is missing"))
	}
	if c.MaxStreams < 0 || c.KeepAlive < 0 || c.ReaderGone < 0 {
		errs = append(errs, errors.New("a number of streams or a duration is negative"))
	}
	if c.ReaderGone > 0 && c.ReaderGone <= c.KeepAlive {
		errs = append(errs, fmt.Errorf("readers count as gone after %v, before the next look at %v", c.ReaderGone, c.KeepAlive))
	}
	return errors.Join(errs...)
}
