package app

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// quiet is how long a repeated connection error is not logged again.
const quiet = time.Minute

// connLog writes one line when the connection is lost, one when it is back, and each kind of error
// once a minute: an outage of an hour is not ten thousand lines.
type connLog struct {
	line func(level slog.Level, msg string, args ...any)

	mu   sync.Mutex
	last map[string]time.Time // when an error's text was logged
}

func newConnLog(ctx context.Context, name string, log *slog.Logger) *connLog {
	log = log.With("connection", name)
	ctx = context.WithoutCancel(ctx) // handlers run as long as the connection, which outlives ctx
	return &connLog{
		line: func(level slog.Level, msg string, args ...any) { log.Log(ctx, level, msg, args...) },
		last: map[string]time.Time{},
	}
}

func (l *connLog) options() []nats.Option {
	return []nats.Option{
		nats.ConnectHandler(func(nc *nats.Conn) {
			l.line(slog.LevelInfo, "connected to NATS", "server", nc.ConnectedServerName())
		}),
		nats.DisconnectErrHandler(func(nc *nats.Conn, err error) {
			if !nc.IsClosed() {
				l.line(slog.LevelWarn, "NATS connection lost", "error", err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) {
			l.line(slog.LevelInfo, "NATS connection is back", "server", nc.ConnectedServerName())
		}),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { l.sometimes("NATS is out of reach, retrying", err) }),
		nats.ErrorHandler(func(_ *nats.Conn, sub *nats.Subscription, err error) {
			if sub == nil {
				l.sometimes("NATS reports an error", err)
				return
			}
			l.sometimes("NATS reports an error", err, "subject", sub.Subject)
		}),
	}
}

func (l *connLog) sometimes(msg string, err error, args ...any) {
	if err == nil || !l.due(msg+err.Error(), time.Now()) {
		return
	}
	l.line(slog.LevelWarn, msg, append(args, "error", err)...)
}

// due is true once a quiet period for each text, and keeps no text longer than that.
func (l *connLog) due(text string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for t, at := range l.last {
		if now.Sub(at) >= quiet {
			delete(l.last, t)
		}
	}
	if _, logged := l.last[text]; logged {
		return false
	}
	l.last[text] = now
	return true
}
