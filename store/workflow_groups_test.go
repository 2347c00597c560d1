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
