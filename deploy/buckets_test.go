//go:build compose

package deploy_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store/id"
)

// operator looks into the buckets and streams with the rights of a scheduler.
type operator struct {
	s  *stack
	js jetstream.JetStream
}

func startOperator(s *stack) *operator {
	s.t.Helper()
	js, err := jetstream.New(s.connect("scheduler", "_INBOX"))
	if err != nil {
		s.t.Fatal(err)
	}
	return &operator{s, js}
}

// values is what a bucket holds now: id → value.
func (o *operator) values(bucket string) (map[string][]byte, error) {
	ctx, cancel := context.WithTimeout(o.s.t.Context(), 5*time.Second)
	defer cancel()
	kv, err := o.js.KeyValue(ctx, bucket)
	if err != nil {
		return nil, err
	}
	keys, err := kv.Keys(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoKeysFound) {
		return nil, err
	}
	found := map[string][]byte{}
	for _, key := range keys {
		entry, err := kv.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			continue // removed since it was listed
		}
		if err != nil {
			return nil, err
		}
		name, err := id.FromKey(key)
		if err != nil {
			return nil, err
		}
		found[name] = entry.Value()
	}
	return found, nil
}

// known tells whether the bucket and each of the replicas hold the same planners.
func (o *operator) known(replicas ...string) bool {
	values, err := o.values("planners")
	if err != nil {
		return false
	}
	stored := map[string]time.Time{}
	for peerID, value := range values {
		var p struct {
			GeneratedAt time.Time `json:"generated_at"`
		}
		if json.Unmarshal(value, &p) != nil {
			return false
		}
		stored[peerID] = p.GeneratedAt
	}
	for _, replica := range replicas {
		if !maps.EqualFunc(stored, o.s.planners(o.s.replica[replica]), time.Time.Equal) {
			return false
		}
	}
	return true
}

// strays lists who is in a list of interest without a lease.
func (o *operator) strays() ([]string, error) {
	lists, err := o.values("interest")
	if err != nil {
		return nil, err
	}
	leases, err := o.values("replicas")
	if err != nil {
		return nil, err
	}
	var strays []string
	for peerID, value := range lists {
		var list struct{ Replicas []string }
		if err := json.Unmarshal(value, &list); err != nil {
			return nil, err
		}
		for _, replica := range list.Replicas {
			if _, alive := leases[replica]; !alive {
				strays = append(strays, peerID+" by "+replica)
			}
		}
	}
	slices.Sort(strays)
	return strays, nil
}

// leader is the node that leads a stream; empty while there is none.
func (o *operator) leader(stream string) string {
	ctx, cancel := context.WithTimeout(o.s.t.Context(), 2*time.Second)
	defer cancel()
	st, err := o.js.Stream(ctx, stream)
	if err != nil || st.CachedInfo().Cluster == nil {
		return ""
	}
	return st.CachedInfo().Cluster.Leader
}

// said is all that the fleet has said of the test's peers since it started, as the bus keeps it:
// action → peer → how often.
func (o *operator) said() map[string]map[string]int {
	o.s.t.Helper()
	ctx, cancel := context.WithTimeout(o.s.t.Context(), patience)
	defer cancel()
	said := map[string]map[string]int{"PB_PLANNER": {}, "PB_CLOSE_PLANNER": {}}
	st, err := o.js.Stream(ctx, "OC_BUS")
	if err != nil {
		o.s.t.Fatal(err)
	}
	for seq := uint64(1); seq <= st.CachedInfo().State.LastSeq; seq++ {
		m, err := st.GetMsg(ctx, seq)
		if err != nil {
			o.s.t.Fatalf("message %d of the bus: %v", seq, err)
		}
		if action, peerID := spoken(m.Data); strings.HasPrefix(peerID, "site-") {
			said[action][peerID]++
		}
	}
	return said
}
