//go:build long

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"oc-scheduler/internal/fleettest"
	"oc-scheduler/internal/natstest"
)

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

// work asks a replica as long as the context lives.
func (h *bookingHistory) work(ctx context.Context, t *testing.T, replica string) {
	t.Helper()
	for client := int(h.clients.Add(1)); ctx.Err() == nil; {
		window := int(h.ops.Add(1)) / perWindow
		input := h.choose(window)
		out := said{call: int64(time.Since(h.begin))}
		a := h.ask(replica, input)
		out.back = int64(time.Since(h.begin))
		if err := h.understand(a, &out); err != nil {
			t.Errorf("%+v: %v", input, err)
		}
		h.add(porcupine.Operation{ClientId: client, Input: input, Call: out.call, Output: out, Return: out.back})
		if out.unknown { // each thing that may happen at any time doubles the work of the check
			client = int(h.clients.Add(1))
			for ctx.Err() == nil && fleettest.Get(ctx, replica+"/readyz").Status != http.StatusOK {
				time.Sleep(natstest.Rest(time.Millisecond)) // not for anything to happen: a client is patient
			}
		}
	}
}

// choose is something to do with a window.
func (h *bookingHistory) choose(window int) any {
	id := h.some(window)
	switch what := rand.N(5); {
	case what == 0 && id != "":
		return giveBack{window, id}
	case what == 1 && id != "" && id[0] == 'h':
		return confirmIt{window, id}
	case what < 4:
		return bookIt{window}
	}
	return holdIt{window}
}

// ask has a replica do something.
func (h *bookingHistory) ask(replica string, input any) fleettest.Answer {
	at := fmt.Sprintf(`{"start":%q,"duration_s":3600`, h.first.Add(time.Duration(windowOf(input))*time.Hour).Format(time.RFC3339))
	method, path, body := http.MethodPost, "/oc/"+bookedWorkflow, ""
	switch in := input.(type) {
	case bookIt:
		path, body = path+"/schedules", at+`}`
	case holdIt:
		path, body = path+"/holds", at+`,"ttl_s":1}`
	case confirmIt:
		path = "/holds/" + in.id + "/confirm"
	case giveBack:
		method, path = http.MethodDelete, map[byte]string{'h': "/holds/", 's': "/schedules/"}[in.id[0]]+in.id
	}
	return fleettest.Send(context.Background(), method, replica+path, strings.NewReader(body))
}

// understand notes what an answer says.
func (h *bookingHistory) understand(a fleettest.Answer, out *said) error {
	switch a.Status {
	case http.StatusCreated:
		var made struct {
			ID        string    `json:"id"`
			ExpiresAt time.Time `json:"expires_at"`
		}
		if err := json.Unmarshal(a.Body, &made); err != nil {
			return err
		}
		if out.id = made.ID; !made.ExpiresAt.IsZero() {
			out.until = int64(made.ExpiresAt.Sub(h.begin))
		}
	case http.StatusNoContent, http.StatusConflict, http.StatusGone:
	case 0, http.StatusServiceUnavailable:
		out.unknown = true
	default:
		return fmt.Errorf("%d %s", a.Status, a.Body)
	}
	return nil
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

// await waits for so many more operations to end.
func (h *bookingHistory) await(t *testing.T, more int) {
	t.Helper()
	count := func() int { h.mu.Lock(); defer h.mu.Unlock(); return len(h.operations) }
	until := count() + more
	eventually(t, "operations end", func() bool { return count() >= until })
}
