package store_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/access"
)

// TestABucketThatTakesNoWrites holds that it is known of after one, and until it takes one: also when
// nobody writes there any more. What was tried meanwhile leaves nothing behind.
func TestABucketThatTakesNoWrites(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	st, js := running(t, srv, store.Config{})
	stream, err := js.Stream(t.Context(), "KV_workflows")
	if err != nil {
		t.Fatal(err)
	}
	good := stream.CachedInfo().Config
	put := func() error {
		_, _, _, err := st.Workflows.Put(t.Context(), "w", []byte(`{"id":"w","graph":{"items":{}}}`), store.Author{Subject: access.Anonymous, Keep: true}, store.Condition{})
		return err
	}
	full := good
	full.MaxBytes, full.Discard = 1, jetstream.DiscardNew
	if _, err := js.UpdateStream(t.Context(), full); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(st.Refused(), put()); err == nil || st.Refused() == nil {
		t.Fatalf("the write: %v, afterwards: %v", err, st.Refused())
	}
	if err := st.Refused(); !strings.Contains(err.Error(), "bucket workflows: ") || !strings.Contains(err.Error(), "maximum bytes exceeded") {
		t.Errorf("told as %v", err)
	}
	if _, err := js.UpdateStream(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the bucket is tried again", func() bool { return st.Refused() == nil })
	natstest.Eventually(t, "nothing is left of the trial", func() bool {
		info, err := stream.Info(t.Context())
		return err == nil && info.State.Msgs == 0
	})
	if err := put(); err != nil {
		t.Error(err)
	}
}
