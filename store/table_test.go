package store_test

import (
	"os"
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
)

// Whatever is in the table is followed, examined, and told of in the README.
func TestEveryBucketIsToldOf(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	st, js := open(t, natstest.Start(t), store.Config{})
	followed, examined := map[string]bool{}, map[string]bool{}
	for bucket := range st.Views() {
		followed[bucket] = true
	}
	for e, err := range store.Examine(t.Context(), js, func(string) bool { return true }) {
		if err != nil {
			t.Fatal(err)
		}
		examined[e.Bucket] = true
	}
	for _, x := range store.Expect(1) {
		bucket := strings.TrimPrefix(x.Stream.Name, "KV_")
		if !followed[bucket] || !examined[bucket] || !strings.Contains(string(readme), "\n| `"+bucket+"` |") {
			t.Errorf("%s: followed %v, examined %v, or not in the README", bucket, followed[bucket], examined[bucket])
		}
	}
}
