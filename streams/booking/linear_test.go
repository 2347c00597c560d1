package booking_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

// What is done to a window, of which one has all.
type (
	bookIt   struct{ window int }
	holdIt   struct{ window int }
	giveBack struct {
		window int
		id     string
	} // Cancel or ReleaseHold
	confirmIt struct {
		window int
		id     string
	}

	said struct {
		unknown bool   // it may have happened, now or later
		id      string // of what was made; "": it was refused
		until   int64  // of a hold
		call    int64
		back    int64
	}
)

// owned is who has a window.
type owned struct {
	id    string // "": nobody
	until int64  // 0: it does not end by itself; ended: it may have, nobody knows when
}

const ended = -1

// inexact is how much the clocks of two replicas may differ.
const inexact = int64(200 * time.Millisecond)

func windowOf(input any) int {
	switch in := input.(type) {
	case bookIt:
		return in.window
	case holdIt:
		return in.window
	case giveBack:
		return in.window
	}
	return input.(confirmIt).window
}

// bookingModel is what a window has to look like to everybody. What is made without an answer has no id that anybody
// knows: it stays.
var bookingModel = porcupine.NondeterministicModel{
	Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
		byWindow := map[int][]porcupine.Operation{}
		for _, op := range history {
			byWindow[windowOf(op.Input)] = append(byWindow[windowOf(op.Input)], op)
		}
		for _, part := range byWindow {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() []any { return []any{owned{}} },
	Step: func(state, input, output any) []any {
		has, out := state.(owned), output.(said)
		free := has.id == "" || has.until == ended || has.until > 0 && out.back >= has.until-inexact
		taken := has.id != "" && (has.until <= 0 || out.call <= has.until+inexact)
		var next []any
		switch in := input.(type) {
		case bookIt, holdIt:
			switch {
			case out.unknown && free:
				next = append(next, has, unknown(input))
			case out.unknown:
				next = append(next, has)
			case out.id != "" && free:
				next = append(next, owned{out.id, out.until})
			case out.id == "" && taken:
				next = append(next, has)
			}
		case giveBack:
			if has.id == in.id && (in.id[0] == 's' || has.until > 0) {
				next = append(next, owned{})
			} else {
				next = append(next, has)
			}
			if out.unknown {
				next = append(next, has)
			}
		case confirmIt:
			mine := has.id == in.id
			if out.unknown {
				next = append(next, has)
			}
			if (out.unknown || out.id != "") && mine && taken {
				next = append(next, confirmed(out))
			}
			if !out.unknown && out.id == "" && (!mine || free) {
				next = append(next, has)
			}
		}
		return next
	},
}

// unknown is who has a window when nobody knows whether he does: a hold that was made so ends by itself.
func unknown(input any) owned {
	if _, hold := input.(holdIt); hold {
		return owned{id: "unknown", until: ended}
	}
	return owned{id: "unknown"}
}

// confirmed is who has a window after a confirmation.
func confirmed(out said) owned {
	if out.unknown {
		return owned{id: "unknown"}
	}
	return owned{id: out.id}
}

// TestBookingsAreLinearizable has three replicas book, hold, confirm and give back the same windows while replicas and
// the leader of the plan are killed and a replica sleeps, and checks that there is one order in which all that they were
// told makes sense.
func TestBookingsAreLinearizable(t *testing.T) {
	t.Parallel()
	cluster := natstest.StartProcesses(t, 3)
	h := &bookingHistory{begin: time.Now(), first: tomorrow(), known: map[int][]string{}}
	var fleet []*post
	var replicas []*replica
	for range 3 {
		p := newPost(t, cluster)
		fleet, replicas = append(fleet, p), append(replicas, p.start(t))
	}
	has(t, "p", map[string]int{"i": 1}, replicas...)
	needs(t, "wf", 1, []string{"p"}, replicas...)
	for i, p := range fleet {
		p.work(t, h, replicas[i])
	}
	h.await(t, 200)
	fleet[0].kill()
	h.await(t, 100)
	fleet[0].work(t, h, fleet[0].start(t))
	h.await(t, 100)
	leader := cluster.StreamLeader(t, "KV_plan")
	leader.Kill()
	fleet[1].kill()
	h.await(t, 200)
	leader.Restart(t)
	fleet[1].work(t, h, fleet[1].start(t))
	cluster.AwaitHealthy(t)
	h.await(t, 200)
	fleet[2].each((*natstest.Proxy).Hold)
	h.await(t, 100)
	fleet[2].each((*natstest.Proxy).Pass)
	h.await(t, 200)
	for _, p := range fleet {
		p.kill()
	}
	t.Logf("%d operations on %d windows", len(h.operations), len(h.known))
	model := bookingModel.ToModel()
	want := porcupine.Ok
	if !comparesAndSwaps {
		want = porcupine.Illegal
	}
	if result, info := porcupine.CheckOperationsVerbose(model, h.operations, 2*time.Minute); result != want {
		t.Errorf("the history is %s, want %s", result, want)
		file := t.ArtifactDir() + "/history.html"
		if err := porcupine.VisualizePath(model, info, file); err != nil {
			t.Error(err)
		}
	}
}

// post is where a replica runs; its links stay the same over restarts.
type post struct {
	cluster *natstest.Cluster
	links   []*natstest.Proxy
	end     context.CancelFunc // of its work
	workers sync.WaitGroup
}

func newPost(t *testing.T, cluster *natstest.Cluster) *post {
	t.Helper()
	p := &post{cluster: cluster}
	for _, s := range cluster.Servers {
		p.links = append(p.links, natstest.StartProxy(t, s.Addr()))
	}
	return p
}

func (p *post) each(f func(*natstest.Proxy)) {
	for _, l := range p.links {
		f(l)
	}
}

// start starts a replica.
func (p *post) start(t *testing.T) *replica {
	t.Helper()
	conn := p.cluster.Connect(t, nats.IgnoreDiscoveredServers(), func(o *nats.Options) error {
		o.Url, o.Servers = "", nil
		for _, l := range p.links {
			o.Servers = append(o.Servers, l.URL())
		}
		return nil
	})
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return newReplica(t, js, 3)
}

// work has some clients ask a replica as long as it lives.
func (p *post) work(t *testing.T, h *bookingHistory, r *replica) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	p.end = cancel
	for range 3 {
		p.workers.Go(func() { h.work(ctx, t, r) })
	}
}

// kill ends a replica in the midst of what it does.
func (p *post) kill() {
	p.each((*natstest.Proxy).Cut)
	p.end()
	p.workers.Wait()
	p.each((*natstest.Proxy).Pass)
}

// bookingHistory is what happened, in the order of its ends.
type bookingHistory struct {
	begin, first time.Time
	clients, ops atomic.Int64

	mu         sync.Mutex
	operations []porcupine.Operation
	known      map[int][]string // what was made in a window
}

// perWindow is how many operations are begun on a window, about.
const perWindow = 24

func (h *bookingHistory) work(ctx context.Context, t *testing.T, r *replica) {
	t.Helper()
	for client := int(h.clients.Add(1)); ctx.Err() == nil; {
		window := int(h.ops.Add(1)) / perWindow
		start := h.first.Add(time.Duration(window) * time.Hour)
		input, call := any(nil), time.Since(h.begin)
		var out said
		var err error
		id := h.some(window)
		switch what := rand.N(5); {
		case what == 0 && id != "":
			input, err = giveBack{window, id}, h.giveBack(ctx, r, id)
		case what == 1 && id != "" && id[0] == 'h':
			input = confirmIt{window, id}
			var s schedule.Schedule
			s, err = r.Confirm(ctx, id, booking.Asked{}, ask(t, schedule.ConfirmBody, "{}"))
			out.id = s.ID
		case what < 4:
			input = bookIt{window}
			var s schedule.Schedule
			s, err = r.Book(ctx, me, at(t, start, ""))
			out.id = s.ID
		default:
			input = holdIt{window}
			var held schedule.Hold
			held, err = r.Hold(ctx, me, ask(t, schedule.HoldBody, `{"ttl_s":1,"duration_s":3600,"start":"`+start.Format(time.RFC3339)+`"}`))
			if out.id = held.ID; err == nil {
				out.until = int64(held.ExpiresAt.Sub(h.begin))
			}
		}
		var taken *booking.TakenError
		switch {
		case err == nil, errors.As(err, &taken), errors.Is(err, booking.ErrGone), errors.Is(err, booking.ErrConfirmed):
		case errors.Is(err, kv.ErrUnavailable) || ctx.Err() != nil:
			out.unknown = true
		default:
			t.Errorf("%+v: %v", input, err)
		}
		out.call, out.back = int64(call), int64(time.Since(h.begin))
		h.add(porcupine.Operation{ClientId: client, Input: input, Call: out.call, Output: out, Return: out.back})
		if out.unknown { // each thing that may happen at any time doubles the work of the check
			client = int(h.clients.Add(1))
			_ = r.st.Plan.Sync(ctx) // the outage is over
		}
	}
}

func (h *bookingHistory) giveBack(ctx context.Context, r *replica, id string) error {
	if id[0] == 'h' {
		return r.ReleaseHold(ctx, id, "somebody")
	}
	return r.Cancel(ctx, id, "somebody")
}

func (h *bookingHistory) some(window int) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if list := h.known[window]; len(list) > 0 {
		return list[len(list)-1]
	}
	return ""
}

func (h *bookingHistory) add(op porcupine.Operation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := op.Output.(said)
	if out.unknown {
		out.back = int64(time.Hour)
		op.Output, op.Return = out, out.back // after everything else
	}
	if window := windowOf(op.Input); out.id != "" {
		h.known[window] = append(h.known[window], out.id)
	}
	h.operations = append(h.operations, op)
}

func (h *bookingHistory) await(t *testing.T, more int) {
	t.Helper()
	count := func() int { h.mu.Lock(); defer h.mu.Unlock(); return len(h.operations) }
	until := count() + more
	natstest.Eventually(t, "operations end", func() bool { return count() >= until })
}
