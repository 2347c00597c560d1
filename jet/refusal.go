package jet

import (
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// electing is how long a stream may leave writes unanswered: a cluster elects its leader meanwhile.
const electing = 10 * time.Second

// Refusal remembers that a stream did not take a write, until it takes one. A server says nothing of a
// stream that it cannot write any more: who writes waits in vain, and all else goes on. The zero Refusal
// is of a stream that has refused nothing; it may be used by many goroutines.
type Refusal struct{ stands atomic.Pointer[refused] }

type refused struct {
	since time.Time
	err   error
}

// Note is told the outcome of each write, made on a connection.
func (r *Refusal) Note(nc *nats.Conn, err error) {
	switch {
	case err == nil:
		r.stands.Store(nil)
	case !nc.IsConnected() || !refuses(err): // that says nothing of the stream
	default:
		next := &refused{time.Now(), err}
		for before := r.stands.Load(); ; before = r.stands.Load() {
			if before != nil {
				next.since = before.since
			}
			if r.stands.CompareAndSwap(before, next) {
				return
			}
		}
	}
}

// Doubtful says whether the last that was heard is a refusal, or silence: a write would tell.
func (r *Refusal) Doubtful() bool { return r.stands.Load() != nil }

// Err says why the stream takes nothing; nil when it does, or may: silence counts when it has lasted for
// longer than an election.
func (r *Refusal) Err() error {
	stands := r.stands.Load()
	if stands == nil {
		return nil
	}
	lasts := time.Since(stands.since)
	if late(stands.err) {
		if lasts < electing {
			return nil
		}
		return fmt.Errorf("no write has been answered for %v; a full disk or a lack of rights may be why, and the log of the NATS server says so", lasts.Round(time.Second))
	}
	return stands.err
}

// refuses says whether an error of a write is the stream's word, or its silence, and not about what was
// to be written.
func refuses(err error) bool {
	if api, ok := errors.AsType[*jetstream.APIError](err); ok {
		return api.Code != http.StatusBadRequest || errors.Is(err, errSealed) || errors.Is(err, errAccountFull)
	}
	return late(err)
}
