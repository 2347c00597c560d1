package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/workflow"
)

// TestARemovedWorkflowKeepsItsGroups, whoever removed it, and however often.
func TestARemovedWorkflowKeepsItsGroups(t *testing.T) {
	t.Parallel()
	st, js := open(t, natstest.Start(t), store.Config{})
	w := workflows{t, st}
	bucket, err := js.KeyValue(t.Context(), "workflows")
	if err != nil {
		t.Fatal(err)
	}
	many := make([]string, 400)
	for i := range many {
		many[i] = fmt.Sprint(strings.Repeat("g", 120), i)
	}
	mine := &access.Subject{ID: "m", Role: access.User, Groups: []string{"mine"}}
	seq := uint64(0)
	removals := map[string]func(){
		"a client": func() { w.delete() },
		"the bus":  func() { seq++; w.remove(at(seq)) },
		"the bus twice": func() {
			for range 2 {
				seq++
				w.remove(at(seq))
			}
		},
	}
	for name, tc := range map[string]struct {
		stored       string
		mine, theirs bool // whether those may put one again
	}{
		"of groups":      {string(grouped(t, "mine", `é"<`)), true, false},
		"of everybody's": {string(workflowJSON("w", "x")), true, true},
		"unreadable":     {"{", false, false},
		"of too many":    {string(grouped(t, append(many, "mine")...)), false, false},
		"of one other":   {string(grouped(t, "other")), false, false},
	} {
		for by, remove := range removals {
			for who, may := range map[*access.Subject]bool{mine: tc.mine, {ID: "t", Role: access.User, Groups: []string{"theirs"}}: tc.theirs} {
				if _, err := bucket.Put(t.Context(), "w", []byte(tc.stored)); err != nil {
					t.Fatal(err)
				}
				remove()
				_, _, created, err := st.Workflows.Put(t.Context(), "w", workflowJSON("w", "y"), store.Author{Subject: who, Groups: who.Groups, Keep: true}, store.Condition{})
				if may != (err == nil && created) || !may && !errors.Is(err, kv.ErrNotFound) {
					t.Errorf("one %s, removed by %s, put by %s: created %v, %v", name, by, who.ID, created, err)
				}
			}
		}
	}
}

func grouped(t *testing.T, groups ...string) []byte {
	t.Helper()
	doc, err := workflow.WithGroups(workflowJSON("w", "x"), groups)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestWhatWasRemovedIsShownToItsGroups, also by a replica that was not there; what nobody has said the groups of, to
// nobody.
func TestWhatWasRemovedIsShownToItsGroups(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	before, js := running(t, server, store.Config{})
	bucket, err := js.KeyValue(t.Context(), "workflows")
	if err != nil {
		t.Fatal(err)
	}
	for id, doc := range map[string]string{"of-mine": `{"id":"of-mine","groups":["mine"],"graph":{"items":{}}}`, "of-all": `{"id":"of-all","graph":{"items":{}}}`, "lost": `{"id":"lost","graph":{"items":{}}}`} {
		if _, err := bucket.Put(t.Context(), id, []byte(doc)); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"of-mine", "of-all"} {
		if err := before.Workflows.Delete(t.Context(), id, access.Anonymous, store.Condition{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := bucket.Delete(t.Context(), "lost"); err != nil {
		t.Fatal(err)
	}
	if _, err := before.Workflows.Remove(t.Context(), "lost", at(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := before.Workflows.Remove(t.Context(), "of-mine", at(2)); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "all are gone", func() bool { return before.Workflows.View().Len() == 0 })
	after, _ := running(t, server, store.Config{})
	for _, st := range []*store.Store{before, after} {
		for id, want := range map[string][3]bool{"of-mine": {true, false, true}, "of-all": {true, true, true}, "lost": {false, false, true}, "never": {false, false, true}} {
			for i, who := range []*access.Subject{{Role: access.User, Groups: []string{"mine"}}, {Role: access.User, Groups: []string{"theirs"}}, {Role: access.Operator}} {
				if got := st.Workflows.Shows(who, id); got != want[i] {
					t.Errorf("%s is shown to %v: %v", id, who, got)
				}
			}
		}
	}
}
