package natsd

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/nats-io/nats-server/v2/server"
)

// bridge writes the server's log lines with slog. The server's notices are details of ours: debug.
type bridge struct {
	log   func(level slog.Level, line string)
	fatal chan error // capacity 1: why the server could not start

	hurt   atomic.Pointer[string] // the first line that tells of a stream that can't be written any more
	ailing chan struct{}          // capacity 1: hurt is set
}

var _ server.Logger = (*bridge)(nil)

func newBridge(ctx context.Context, log *slog.Logger) *bridge {
	log = log.With("component", "nats_server")
	ctx = context.WithoutCancel(ctx)
	return &bridge{
		log:    func(level slog.Level, line string) { log.Log(ctx, level, line) },
		fatal:  make(chan error, 1),
		ailing: make(chan struct{}, 1),
	}
}

// Noticef logs a detail.
func (b *bridge) Noticef(format string, v ...any) { b.log(slog.LevelDebug, fmt.Sprintf(format, v...)) }

// ownChoice begins a warning about MaxPayload, which is no operator's to mend.
const ownChoice = "Maximum payloads over "

// Warnf logs what an operator may want to mend.
func (b *bridge) Warnf(format string, v ...any) {
	level := slog.LevelWarn
	if strings.HasPrefix(format, ownChoice) {
		level = slog.LevelDebug
	}
	b.log(level, fmt.Sprintf(format, v...))
}

// critical is part of what the server says, once, when it has shut a stream, or what keeps its
// messages: it tries no other write there.
const critical = "ritical write error: "

// Errorf logs what the server could not do.
func (b *bridge) Errorf(format string, v ...any) {
	line := fmt.Sprintf(format, v...)
	b.log(slog.LevelError, line)
	if strings.Contains(line, critical) && b.hurt.CompareAndSwap(nil, &line) {
		b.ailing <- struct{}{}
	}
}

// Fatalf keeps the reason for Start to return, later it is logged; the process is not the server's
// to end.
func (b *bridge) Fatalf(format string, v ...any) {
	err := fmt.Errorf("%s", fmt.Sprintf(format, v...))
	select {
	case b.fatal <- err:
	default:
		b.log(slog.LevelError, err.Error())
	}
}

// started has later reasons logged, since nobody waits for them any more.
func (b *bridge) started() {
	select {
	case b.fatal <- nil:
	default:
	}
}

// Debugf and Tracef are never called: the server is told to keep such lines to itself.
func (b *bridge) Debugf(string, ...any) {}

// Tracef is like Debugf.
func (b *bridge) Tracef(string, ...any) {}
