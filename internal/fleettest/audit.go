package fleettest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
)

// Heard reads all that the fleet has ever said on the bus, by peer.
func Heard(ctx context.Context, js jetstream.JetStream) (map[string]Said, error) {
	msgs, err := all(ctx, js, events.Stream, jetstream.DeliverAllPolicy, events.Propagation)
	if err != nil {
		return nil, err
	}
	heard := map[string]Said{}
	for _, m := range msgs {
		envelope, err := events.DecodeEnvelope(m.Data())
		composed := m.Headers().Get(events.HeaderComposed) != ""
		if err != nil || envelope.FromApp != "oc-scheduler" && !composed {
			continue
		}
		said, err := events.DecodePropagated(envelope.Payload)
		if err != nil {
			return nil, err
		}
		var peer struct {
			ID string `json:"peer_id"`
		}
		if err := json.Unmarshal(said.Payload, &peer); err != nil {
			return nil, err
		}
		md, err := m.Metadata()
		if err != nil {
			return nil, err
		}
		s := heard[peer.ID]
		switch {
		case composed:
			s.Answers = append(s.Answers, md.Timestamp)
		case said.Action == "PB_PLANNER":
			s.Requests = append(s.Requests, md.Timestamp)
		case said.Action == "PB_CLOSE_PLANNER":
			s.Closes = append(s.Closes, md.Timestamp)
		}
		heard[peer.ID] = s
	}
	return heard, nil
}

// Counts is Heard as numbers, once the bus can be read.
func Counts(tb testing.TB, js jetstream.JetStream, peerIDs ...string) (requests, closes map[string]int) {
	tb.Helper()
	requests, closes = map[string]int{}, map[string]int{}
	Until(tb, "the bus can be read", func() string {
		heard, err := Heard(tb.Context(), js)
		if err != nil {
			return err.Error()
		}
		for _, p := range peerIDs {
			requests[p], closes[p] = len(heard[p].Requests), len(heard[p].Closes)
		}
		return ""
	})
	return requests, closes
}

// Stored are the living values of a bucket, by identifier, as soon as they can be read.
func Stored(tb testing.TB, js jetstream.JetStream, bucket string) (values map[string][]byte) {
	tb.Helper()
	Until(tb, bucket+" can be read", func() string {
		var err error
		if values, err = Values(tb.Context(), js, bucket); err != nil {
			return err.Error()
		}
		return ""
	})
	return values
}

// Agree waits until every replica is ready and shows what the buckets hold.
func Agree(tb testing.TB, js jetstream.JetStream, urls ...string) time.Duration {
	tb.Helper()
	return Until(tb, "all replicas show what the buckets hold", func() string { return Differ(tb.Context(), js, urls...) })
}

// Differ says in what a replica is not ready, or differs from the buckets; "" when it does not.
func Differ(ctx context.Context, js jetstream.JetStream, urls ...string) string {
	planners, err := planners(ctx, js)
	if err != nil {
		return err.Error()
	}
	workflows, err := Values(ctx, js, "workflows")
	if err != nil {
		return err.Error()
	}
	for _, url := range urls {
		if a := Get(ctx, url+"/readyz"); a.Status != http.StatusOK {
			return fmt.Sprintf("%s is not ready: %d %s", url, a.Status, a.Body)
		}
		shown := map[string]string{}
		if err := list(ctx, url+"/planners", func(p summary) { shown[p.PeerID] = p.version() }); err != nil {
			return err.Error()
		}
		if !maps.Equal(shown, planners) {
			return fmt.Sprintf("%s shows planners %v, the bucket holds %v", url, shown, planners)
		}
		ids := map[string]bool{}
		if err := list(ctx, url+"/oc", func(w struct{ ID string }) { ids[w.ID] = true }); err != nil {
			return err.Error()
		}
		for of := range workflows {
			if !ids[of] {
				return fmt.Sprintf("%s lacks workflow %s", url, of)
			}
		}
		if len(ids) != len(workflows) {
			return fmt.Sprintf("%s shows workflows %v, the bucket holds %v", url, ids, slices.Sorted(maps.Keys(workflows)))
		}
	}
	return ""
}

// summary is what a replica's list, or a stored value, says of a planner.
type summary struct {
	PeerID      string    `json:"peer_id"`
	GeneratedAt time.Time `json:"generated_at"`
	ExpiresAt   time.Time `json:"expires_at"`
}

func (s summary) version() string {
	return s.GeneratedAt.Format(time.RFC3339Nano) + " until " + s.ExpiresAt.Format(time.RFC3339Nano)
}

func planners(ctx context.Context, js jetstream.JetStream) (map[string]string, error) {
	values, err := Values(ctx, js, "planners")
	if err != nil {
		return nil, err
	}
	stored := map[string]string{}
	for peer, value := range values {
		var s summary
		if err := json.Unmarshal(value, &s); err != nil {
			return nil, err
		}
		stored[peer] = s.version()
	}
	return stored, nil
}

// list reads all pages of a replica's list.
func list[T any](ctx context.Context, url string, each func(T)) error {
	for cursor := ""; ; {
		a := Get(ctx, url+"?limit=500&cursor="+cursor)
		if a.Status != http.StatusOK {
			return fmt.Errorf("%s: %d %s", url, a.Status, a.Body)
		}
		var page struct {
			Items []T
			Next  string `json:"next_cursor"`
		}
		if err := json.Unmarshal(a.Body, &page); err != nil {
			return err
		}
		for _, item := range page.Items {
			each(item)
		}
		if cursor = page.Next; cursor == "" {
			return nil
		}
	}
}
