//go:build soak && unix

package fleettest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"oc-scheduler/internal/fleettest"
)

const (
	bookers     = 6
	bookable    = 40 // windows, of which one has all
	bookedPeer  = "peer-booked"
	bookedOf    = "wf-booked"
	heldFor     = 5 * time.Second
	neverTwice  = "a window is never booked twice"
	neverLost   = "what was booked stands until it is cancelled"
	allAnswered = "bookings are answered as they should be"
)

// bookings are made, held, confirmed and cancelled all the while.
type bookings struct {
	*world
	first  time.Time
	stream *fleettest.Stream // that keeps the planner
	stop   func()

	mu   sync.Mutex
	has  map[int]owned // by window
	seen tally
	log  []string // what was done, for what was not to be
}

// owned is who has a window.
type owned struct {
	path  string
	until time.Time // of a hold; zero: it does not end by itself
}

func (w *world) keepBooking() *bookings {
	w.Helper()
	b := &bookings{world: w, first: time.Now().UTC().Truncate(time.Hour).Add(60 * 24 * time.Hour), has: map[int]owned{}, seen: newTally()}
	fleettest.Until(w, "the workflow of bookings", func() string {
		body := fmt.Sprintf(`{"id":%q,"graph":{"items":{"n":{"compute":{"id":"gpu","peer_id":%q,"demand":{"gpus":600000}}}}}}`, bookedOf, bookedPeer)
		if a := fleettest.Send(w.Context(), http.MethodPut, w.balance()+"/oc/"+bookedOf, strings.NewReader(body)); a.Status != http.StatusCreated && a.Status != http.StatusOK {
			return string(a.Body)
		}
		return ""
	})
	b.stream = fleettest.Open(w.T, fleettest.CheckPath(bookedOf), func(int) string { return w.balance() })
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for n := range bookers {
		all.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				b.turn(fmt.Sprintf("booker-%d-%d", n, i))
			}
		})
	}
	b.stop = sync.OnceFunc(func() { cancel(); all.Wait() })
	w.Cleanup(b.stop)
	return b
}

// turn does something with a window: what it has done is known when it returns.
func (b *bookings) turn(key string) {
	window := rand.N(bookable)
	b.mu.Lock()
	has, taken := b.has[window]
	if taken && rand.N(2) == 0 {
		delete(b.has, window) // from now on others may have it
	} else {
		taken = false
	}
	b.mu.Unlock()
	at := fmt.Sprintf(`"start":%q,"duration_s":3600`, b.first.Add(time.Duration(window)*time.Hour).Format(time.RFC3339))
	switch {
	case taken && !has.until.IsZero() && rand.N(2) == 0:
		if a := b.send(http.MethodPost, has.path+"/confirm", key, ""); a.Status == http.StatusCreated {
			b.note(window, owned{path: a.Header.Get("Location")})
		} else if a.Status != http.StatusGone {
			b.wrong("a confirmation", a)
		}
	case taken:
		if a := b.send(http.MethodDelete, has.path, "", ""); a.Status != http.StatusNoContent {
			b.wrong("a cancellation", a)
		}
	case rand.N(3) == 0:
		sent := time.Now()
		if a := b.send(http.MethodPost, "/oc/"+bookedOf+"/holds", key, fmt.Sprintf(`{%s,"ttl_s":%d}`, at, heldFor/time.Second)); a.Status == http.StatusCreated {
			b.note(window, owned{a.Header.Get("Location"), sent.Add(heldFor)})
		} else if a.Status != http.StatusConflict && a.Status != http.StatusGone { // the answer was lost, and by now it has ended
			b.wrong("a hold", a)
		}
	default:
		if a := b.send(http.MethodPost, "/oc/"+bookedOf+"/schedules", key, `{`+at+`}`); a.Status == http.StatusCreated {
			b.note(window, owned{path: a.Header.Get("Location")})
		} else if a.Status != http.StatusConflict {
			b.wrong("a booking", a)
		}
	}
}

// send asks replicas until one has an answer that will stay the same.
func (b *bookings) send(method, path, key, body string) fleettest.Answer {
	for {
		a := fleettest.SendOnce(context.Background(), method, b.balance()+path, key, strings.NewReader(body))
		if method != http.MethodGet {
			b.did(fmt.Sprintf("%s %s %s %s: %d %s %.200s", method, path, key, body, a.Status, a.Header.Get("Location"), a.Body))
		}
		if a.Status > 0 && a.Status < http.StatusInternalServerError && a.Header.Get("Retry-After") == "" {
			return a
		}
		time.Sleep(20 * time.Millisecond) // not for anything to happen: a client is patient
	}
}

// note notes who has a window by now, if it is not over.
func (b *bookings) note(window int, now owned) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !now.until.IsZero() && time.Now().After(now.until) {
		return
	}
	other, taken := b.has[window]
	taken = taken && (other.until.IsZero() || time.Now().Before(other.until))
	b.seen.judge(neverTwice, !taken, fmt.Sprintf("window %d: %+v and %+v", window, other, now))
	b.has[window] = now
}

func (b *bookings) did(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.log = append(b.log, time.Now().Format(time.StampMicro)+" "+what)
}

func (b *bookings) wrong(what string, a fleettest.Answer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen.judge(allAnswered, false, fmt.Sprintf("%s: %d %s", what, a.Status, a.Body))
}

// stand checks that all that is booked stands.
func (b *bookings) stand() {
	b.mu.Lock()
	has := maps.Clone(b.has)
	b.mu.Unlock()
	for window, o := range has {
		if !o.until.IsZero() {
			continue
		}
		a := b.send(http.MethodGet, o.path, "", "")
		var s struct {
			State       string `json:"state"`
			Occurrences []struct {
				State string `json:"state"`
			} `json:"occurrences"`
		}
		err := json.Unmarshal(a.Body, &s)
		stands := err == nil && a.Status == http.StatusOK && s.State == "active" && len(s.Occurrences) == 1 && s.Occurrences[0].State == "booked"
		b.mu.Lock()
		b.seen.judge(neverLost, stands || b.has[window] != o, fmt.Sprintf("window %d: %+v: %d %s", window, o, a.Status, a.Body))
		b.mu.Unlock()
	}
}

// finish cancels all that is booked; then nothing of it is left over.
func (b *bookings) finish() {
	b.Helper()
	b.stop()
	b.stand()
	b.say("%d windows are booked at the end", len(b.has))
	for _, o := range b.has {
		if a := b.send(http.MethodDelete, o.path, "", ""); a.Status != http.StatusNoContent {
			b.wrong("the last cancellation", a)
		}
	}
	var left []string
	look := func() string {
		left = nil
		for _, kind := range []string{"booking.", "hold.", "due.", "fired."} {
			keys, err := fleettest.Living(b.Context(), b.js, "plan", kind)
			if err != nil {
				return err.Error()
			}
			for key, value := range keys {
				left = append(left, fmt.Sprintf("%s%s: %s", kind, key, value))
			}
		}
		return ""
	}
	for gone := time.Now().Add(2 * heldFor); time.Now().Before(gone) && (look() != "" || len(left) > 0); {
		time.Sleep(100 * time.Millisecond) // holds run out
	}
	b.tally.judge("of what was booked nothing is left over", len(left) == 0, strings.Join(left, "\n")+"\n"+strings.Join(b.log, "\n"))
	b.stream.Close()
	b.tally.order = append(b.tally.order, b.seen.order...)
	maps.Copy(b.tally.invariants, b.seen.invariants)
}
