package kv_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
)

// TestAViewSeesWhatIsRemovedFromBelow also where markers stand that hide it from a count of messages, and says
// nothing of what stays.
func TestAViewSeesWhatIsRemovedFromBelow(t *testing.T) {
	t.Parallel()
	for what, tc := range map[string]struct {
		remove func(t *testing.T, s jetstream.Stream) error
		gone   []string
	}{
		"a key": {func(t *testing.T, s jetstream.Stream) error {
			t.Helper()
			return s.Purge(t.Context(), jetstream.WithPurgeSubject("$KV.texts.k3"))
		}, []string{"k3"}},
		"a message": {func(t *testing.T, s jetstream.Stream) error { t.Helper(); return s.SecureDeleteMsg(t.Context(), 5) }, []string{"k4"}},
		"the newest message": {func(t *testing.T, s jetstream.Stream) error {
			t.Helper()
			return s.DeleteMsg(t.Context(), s.CachedInfo().State.LastSeq)
		}, []string{"k9"}},
		"the whole stream": {
			func(t *testing.T, s jetstream.Stream) error { t.Helper(); return s.Purge(t.Context()) },
			[]string{"k0", "k1", "k2", "k3", "k4", "k5", "k6", "k9"},
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			v := newTextView(t, natstest.Start(t))
			for i := range 10 {
				v.put(t, fmt.Sprintf("k%d", i), "x")
			}
			bucket, err := v.js.KeyValue(t.Context(), "texts")
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{"k7", "k8"} { // their markers stand
				if err := bucket.Delete(t.Context(), key); err != nil {
					t.Fatal(err)
				}
			}
			v.put(t, "k9", "y")
			natstest.Run(t, v.Run)
			natstest.Receive(t, v.Loaded())
			v.taken()
			stream, err := v.js.Stream(t.Context(), "KV_texts")
			if err != nil {
				t.Fatal(err)
			}
			if err := tc.remove(t, stream); err != nil {
				t.Fatal(err)
			}
			natstest.Eventually(t, "the view shows it", func() bool { return v.Len() == 8-len(tc.gone) && v.Current() })
			changes, _ := v.taken()
			if slices.Sort(changes); !slices.Equal(changes, tc.gone) {
				t.Errorf("changes = %v, want %v", changes, tc.gone)
			}
		})
	}
}
