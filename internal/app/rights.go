package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/httpapi"
	"oc-scheduler/internal/rights"
	"oc-scheduler/jet"
)

const (
	// rightsEvery is how often rights are tried while all are there; while some are lacking it is more often.
	rightsEvery, lackingEvery = 20 * time.Second, 3 * time.Second
	// refusalsApart is the least time between two trials.
	refusalsApart = time.Second
	// refusalLasts is how long a refusal counts when the server does not tell what is lacking.
	refusalLasts = time.Minute
)

// permits is what is known of the rights of the replica's NATS user. A request that is forbidden is not
// answered, as if NATS were away: without this nobody would say what is wrong.
type permits struct {
	nc  *nats.Conn
	log *slog.Logger

	doubt   jet.Wake // something was refused
	refused atomic.Pointer[refusal]
	known   atomic.Pointer[verdict] // nil before the first trial
}

// refusal is what the server said last of something that the replica was about to do.
type refusal struct {
	text string
	at   time.Time
}

// verdict is what a trial of all rights has shown.
type verdict struct {
	vital, spare []rights.Right // that are lacking
	untold       error          // why there may be more
}

// watchPermits hears what the server refuses from now on; watch has to run.
func watchPermits(nc *nats.Conn, log *slog.Logger) *permits {
	p := &permits{nc: nc, log: log, doubt: jet.NewWake()}
	handle := nc.ErrorHandler()
	nc.SetErrorHandler(func(nc *nats.Conn, sub *nats.Subscription, err error) {
		if errors.Is(err, nats.ErrPermissionViolation) {
			if strings.Contains(err.Error(), rights.Nobody) {
				return // of a trial, which tells the outcome itself
			}
			p.refused.Store(&refusal{err.Error(), time.Now()})
			p.doubt.Up()
		}
		handle(nc, sub, err)
	})
	return p
}

// watch tries the rights with each connection, when something is refused, and now and then, until ctx ends.
func (p *permits) watch(ctx context.Context) error {
	connected := p.nc.StatusChanged(nats.CONNECTED)
	defer p.nc.RemoveStatusListener(connected)
	for {
		p.try(ctx)
		again := time.NewTimer(p.pause())
		select {
		case <-ctx.Done():
		case <-connected:
		case <-p.doubt:
		case <-again.C:
		}
		again.Stop()
		least := time.NewTimer(refusalsApart)
		select {
		case <-ctx.Done():
			least.Stop()
			return nil
		case <-least.C:
		}
	}
}

func (p *permits) pause() time.Duration {
	if v := p.known.Load(); v == nil || len(v.vital)+len(v.spare) > 0 {
		return lackingEvery
	}
	return rightsEvery
}

func (p *permits) try(ctx context.Context) {
	if !p.nc.IsConnected() {
		return
	}
	lacks, err := rights.Lacking(ctx, p.nc)
	if ctx.Err() != nil || err != nil && !p.nc.IsConnected() {
		return
	}
	next := &verdict{untold: err}
	for _, r := range lacks {
		if r.Spare {
			next.spare = append(next.spare, r)
		} else {
			next.vital = append(next.vital, r)
		}
	}
	before := p.known.Swap(next)
	p.tell(ctx, before, next)
}

func (p *permits) tell(ctx context.Context, before, next *verdict) {
	switch {
	case before.equal(next):
	case len(next.vital) > 0:
		p.log.ErrorContext(ctx, "not all rights are there that a replica needs", "lacking", rights.Words(next.vital))
	case len(next.spare) > 0:
		p.log.WarnContext(ctx, "not all rights are there that a replica may need", "lacking", rights.Words(next.spare))
	case before != nil:
		p.log.InfoContext(ctx, "all rights are there that a replica needs")
	}
}

func (v *verdict) equal(o *verdict) bool {
	if v == nil {
		return false
	}
	return slices.Equal(v.vital, o.vital) && slices.Equal(v.spare, o.spare)
}

// check is the condition of readiness.
func (p *permits) check() httpapi.Check {
	return httpapi.Check{Name: "rights", Probe: p.probe, Notes: p.notes}
}

func (p *permits) probe() error {
	v, refused := p.known.Load(), p.refused.Load()
	switch {
	case v == nil:
		return errors.New("not tried yet")
	case len(v.vital) > 0:
		return errors.New(rights.Words(v.vital))
	case v.untold != nil && refused != nil && time.Since(refused.at) < refusalLasts:
		return errors.New(refused.text)
	}
	return nil
}

func (p *permits) notes() []string {
	v := p.known.Load()
	if v == nil {
		return nil
	}
	var notes []string
	if len(v.spare) > 0 {
		notes = append(notes, rights.Words(v.spare)+", which a replica needs to make what is missing, to change what is of an older release, to notice a stream that takes no writes, to tidy up, and to answer nodes with accounts of their own")
	}
	if v.untold != nil {
		notes = append(notes, fmt.Sprintf("the server does not tell what the NATS user may publish: %v; that takes the right to publish on _INBOX.>", v.untold))
	}
	return notes
}
