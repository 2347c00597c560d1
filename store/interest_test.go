package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
)

func TestTheLastOfTheFleetIsTold(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	const replicas = 64
	stores := make([]*store.Store, 4)
	for i := range stores {
		stores[i], _ = open(t, srv, store.Config{})
	}
	results := make(chan bool, replicas)
	each := func(f func(st *store.Store, replica string) (bool, error)) (last int) {
		for i := range replicas {
			go func() {
				l, err := f(stores[i%len(stores)], fmt.Sprintf("r%02d", i))
				if err != nil {
					t.Error(err)
				}
				results <- l
			}()
		}
		for range replicas {
			if natstest.Receive(t, results) {
				last++
			}
		}
		return last
	}
	each(func(st *store.Store, replica string) (bool, error) {
		return false, st.Interest.Add(context.Background(), "p", replica)
	})
	got, err := stores[0].Interest.Replicas(t.Context(), "p")
	if err != nil || len(got) != replicas || !slices.IsSorted(got) {
		t.Fatalf("replicas = %v, %v", got, err)
	}
	last := each(func(st *store.Store, replica string) (bool, error) {
		end, err := st.Interest.Remove(context.Background(), "p", replica)
		return end != "", err
	})
	if last != 1 {
		t.Errorf("%d were the last", last)
	}
	if got, err := stores[0].Interest.Replicas(t.Context(), "p"); err != nil || len(got) != 0 {
		t.Errorf("replicas = %v, %v", got, err)
	}
}

func TestInterest(t *testing.T) {
	t.Parallel()
	st, js := running(t, natstest.Start(t), store.Config{})
	add := func(replica string) {
		t.Helper()
		if err := st.Interest.Add(t.Context(), "p", replica); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(replica string, want bool) {
		t.Helper()
		if end, err := st.Interest.Remove(t.Context(), "p", replica); err != nil || (end != "") != want {
			t.Errorf("Remove(%s) = %q, %v", replica, end, err)
		}
	}
	remove("b", false)
	add("b")
	add("a")
	add("b")
	natstest.Eventually(t, "the view shows both", func() bool {
		e, _ := st.Interest.View().Get("p")
		return slices.Equal(e.Value, []string{"a", "b"})
	})
	bucket, err := js.KeyValue(t.Context(), "interest")
	if err != nil {
		t.Fatal(err)
	}
	if e, err := bucket.Get(t.Context(), "p"); err != nil || string(e.Value()) != `{"replicas":["a","b"]}` {
		t.Errorf("value = %s, %v", e.Value(), err)
	}
	remove("x", false)
	remove("b", false)
	forget := func() {
		t.Helper()
		if err := st.Interest.Forget(t.Context(), "p"); err != nil {
			t.Fatal(err)
		}
	}
	forget() // somebody is there: nothing happens
	remove("a", true)
	remove("a", false) // the end is another's to finish
	m, err := bucket.Get(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} { // who comes second has lost
		if end, err := st.Interest.TakeOver(t.Context(), "p", m.Revision()); err != nil || (end != "") != want {
			t.Errorf("TakeOver = %q, %v", end, err)
		}
	}
	if e, err := bucket.Get(t.Context(), "p"); err != nil || string(e.Value()) != string(m.Value()) || !strings.HasPrefix(string(e.Value()), `{"replicas":[],"end":"`) {
		t.Errorf("value = %s, %v", e.Value(), err)
	}
	forget()
	remove("a", false)
	natstest.Eventually(t, "the view drops the peer", func() bool { return st.Interest.View().Len() == 0 })
	if _, err := bucket.Put(t.Context(), "p", []byte("junk")); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "junk is reported", func() bool { return st.Interest.View().Broken()["p"] != "" })
	add("c")
	remove("c", true)
}

func TestClaims(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	st, _ := running(t, srv, store.Config{})
	claim := func(now time.Time) (store.Claim, bool) {
		t.Helper()
		c, _, won, err := st.Requests.Claim(t.Context(), "p", store.Asking{By: "me"}, now)
		if err != nil {
			t.Fatal(err)
		}
		return c, won
	}
	when := now
	for attempt, delay := range []time.Duration{10, 20, 40, 80, 160, 300, 300} {
		c, won := claim(when)
		if !won || c.Attempt != attempt+1 || c.By != "me" || !c.RequestedAt.Equal(when) || c.NextAt.Sub(when) != delay*time.Second {
			t.Fatalf("attempt %d: %v, %+v", attempt+1, won, c)
		}
		if again, won := claim(c.NextAt.Add(-1)); won || again != c {
			t.Errorf("won again before its time: %+v", again)
		}
		when = c.NextAt
	}
	natstest.Eventually(t, "the view shows the claim", func() bool {
		e, _ := st.Requests.View().Get("p")
		return e.Value.Attempt == 7
	})
	for range 2 { // the second has nothing to do
		if err := st.Requests.Reset(t.Context(), "p", time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	if c, won := claim(now); !won || c.Attempt != 1 {
		t.Errorf("after a reset: %v, %+v", won, c)
	}
}

func TestOneReplicaWinsAClaim(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	const replicas = 16
	won := make(chan bool, replicas)
	for range replicas {
		st, _ := open(t, srv, store.Config{})
		go func() {
			_, _, w, err := st.Requests.Claim(context.Background(), "p", store.Asking{By: "r"}, now)
			won <- w && err == nil
		}()
	}
	n := 0
	for range replicas {
		if natstest.Receive(t, won) {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d replicas won", n)
	}
}
