package doctor_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/doctor"
	"oc-scheduler/store"
)

func TestWhatStandsInBuckets(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		harm  func(w *ward)
		level doctor.Level
		check string
		what  []string
	}{
		"a planner without TTL": {
			func(w *ward) { w.put(w.t, "planners", "hand", plannerJSON("hand", time.Now())) },
			doctor.Warn, "planners",
			[]string{"1 planner without TTL: hand"},
		},
		"a planner from the future": {
			func(w *ward) {
				w.put(w.t, "planners", "early", plannerJSON("early", time.Now().Add(time.Hour)))
			},
			doctor.Warn, "planners",
			[]string{"more than 5 min ahead", "early by "},
		},
		"a planner of a fast clock": {
			func(w *ward) {
				w.put(w.t, "planners", "fast", plannerJSON("fast", time.Now().Add(time.Minute)))
			},
			doctor.Warn, "planners",
			[]string{"ahead of the arrival", "fast by "},
		},
		"broken values": {
			func(w *ward) {
				for _, bucket := range []string{"workflows", "interest", "requests", "replicas"} {
					w.put(w.t, bucket, "junk", "junk")
				}
			},
			doctor.Warn, "values",
			[]string{"4 values", "workflows junk: ", "replicas junk: "},
		},
		"acknowledgements that were led into buckets": {
			func(w *ward) {
				for _, bucket := range []string{"nodes", "liveness", "executions", "partitions"} {
					w.put(w.t, bucket, "victim", `{"stream":"OC_COMPUTE_OUT","seq":7}`)
				}
			},
			doctor.Warn, "values",
			[]string{"4 values", "nodes victim: ", "liveness victim: ", "partitions victim: "},
		},
		"more of them than a line holds": {
			func(w *ward) {
				for i := range 8 {
					w.put(w.t, "workflows", fmt.Sprintf("w%d", i), "[]")
				}
			},
			doctor.Warn, "values",
			[]string{"8 values", "workflows w0", "and 3 more"},
		},
		"interest of a dead replica": {
			func(w *ward) {
				for _, replica := range []string{"r1", "dead"} {
					if err := w.st.Interest.Add(w.t.Context(), "peer-a", replica); err != nil {
						w.t.Fatal(err)
					}
				}
			},
			doctor.Warn, "interest",
			[]string{"1 peer held by replicas without a lease: peer-a (dead)"},
		},
		"an end that nobody finished": {
			func(w *ward) { w.put(w.t, "interest", "peer-b", `{"replicas":[]}`) },
			doctor.Warn, "interest",
			[]string{"1 peer with an empty list", "peer-b"},
		},
		"a lease without TTL": {
			func(w *ward) { w.put(w.t, "replicas", "ghost", `{"version":"v0"}`) },
			doctor.Fail, "leases",
			[]string{"seem alive for ever: ghost"},
		},
		"two programs under one node id": {
			func(w *ward) {
				for node, at := range map[string]time.Time{"n1": time.Now(), "n2": time.Now().Add(-time.Hour)} {
					w.put(w.t, "nodes", node, fmt.Sprintf(`{"node_id":%q,"membership":"approved","state":"connected",
						"refused":{"ledger":"l2","started_at":"2026-12-01T06:00:00Z","reason":"another program is connected","at":%q}}`,
						node, at.UTC().Format(time.RFC3339)))
				}
			},
			doctor.Warn, "nodes",
			[]string{"1 node with a program that is refused: n1 at ", ": another program is connected"},
		},
		"an instance that two nodes offer": {
			func(w *ward) {
				for _, node := range []string{"n1", "n2", "n3"} {
					w.put(w.t, "nodes", node, fmt.Sprintf(`{"node_id":%q,"membership":"approved","state":"connected","info":{"peer_id":"peer-a"}}`, node))
				}
				for node, instance := range map[string]string{"n1": "i", "n2": "i", "n3": "j"} {
					w.put(w.t, "offers", node, fmt.Sprintf(`{"node_id":%q,"session":"s","sequence":1,"offer":{"capacities":{"r":{%q:{}}}}}`, node, instance))
				}
			},
			doctor.Warn, "offers",
			[]string{"1 instance that several nodes offer: peer-a r/i by n1, n2"},
		},
		"offers that are refused, or gone": {
			func(w *ward) {
				w.put(w.t, "nodes", "n1", `{"node_id":"n1","membership":"approved","state":"connected","tells_offers":true,"info":{"peer_id":"p"}}`)
				w.put(w.t, "nodes", "n2", `{"node_id":"n2","membership":"approved","state":"connected","tells_offers":true,"offer_refused":{"sequence":2,"reason":"too long"},"info":{"peer_id":"p"}}`)
			},
			doctor.Warn, "offers",
			[]string{"1 node with an offer that is refused: n2: too long"},
		},
		"planners that are ignored": {
			func(w *ward) {
				w.put(w.t, "nodes", "n1", `{"node_id":"n1","membership":"approved","state":"lost","tells_offers":true,"info":{"peer_id":"peer-n"}}`)
				for _, peer := range []string{"peer-n", "peer-x"} {
					payload := fmt.Sprintf(`{"from_app":"oc-discovery","payload":{"action":"PB_PLANNER","payload":{"peer_id":%q}}}`, peer)
					if _, err := w.js.Publish(w.t.Context(), "PROPALGATION_EVENT", []byte(payload)); err != nil {
						w.t.Fatal(err)
					}
				}
			},
			doctor.Warn, "offers",
			[]string{"ignored, for these peers have nodes: peer-n"},
		},
		"replicas that treat new nodes differently": {
			func(w *ward) {
				for replica, does := range map[string]string{"r-auto": "auto", "r-manual": "manual"} {
					if _, err := w.st.Leases.Acquire(w.t.Context(), replica, store.Lease{Address: replica, ApproveNodes: does}); err != nil {
						w.t.Fatal(err)
					}
				}
			},
			doctor.Warn, "leases",
			[]string{"--approve-nodes differs: auto with r-auto, manual with r-manual"},
		},
		"dead letters": {
			func(w *ward) {
				for _, reason := range []string{"undecodable", "invalid_id", "undecodable"} {
					letter := nats.NewMsg("oc.dead.CREATE_RESOURCE")
					letter.Header.Set("Oc-Reason", reason)
					if _, err := w.js.PublishMsg(w.t.Context(), letter); err != nil {
						w.t.Fatal(err)
					}
				}
			},
			doctor.Warn, "dead letters",
			[]string{"3 messages", "newest 3", "1 invalid_id, 2 undecodable"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := admit(t)
			w.lease(t, "r1")
			tc.harm(w)
			found := doctor.Run(t.Context(), w.cfg)
			want(t, found, tc.level, tc.check, tc.what...)
			wantRest(t, found, tc.check, "planners", "consumers") // nobody reads the durables of this one
		})
	}
}

func TestNoReplicaLives(t *testing.T) {
	t.Parallel()
	want(t, doctor.Run(t.Context(), admit(t).cfg), doctor.Warn, "leases", "no replica lives")
}

func TestOldDeadLetters(t *testing.T) {
	t.Parallel()
	w := admit(t)
	if _, err := w.js.Publish(t.Context(), "oc.dead.CREATE_RESOURCE", nil); err != nil {
		t.Fatal(err)
	}
	w.cfg.Now = func() time.Time { return time.Now().Add(25 * time.Hour) }
	want(t, doctor.Run(t.Context(), w.cfg), doctor.OK, "dead letters", "1 message")
}
