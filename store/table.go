package store

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/planners"
	"oc-scheduler/store/sessions"
	"oc-scheduler/store/tokens"
)

// Buckets.
const (
	PlannersBucket  = planners.Bucket
	WorkflowsBucket = "workflows"
	InterestBucket  = "interest"
	RequestsBucket  = "requests"
	ReplicasBucket  = "replicas"

	NodesBucket      = "nodes"
	LivenessBucket   = "liveness"
	ExecutionsBucket = "executions"
	PartitionsBucket = "partitions"
	OffersBucket     = "offers"

	TokensBucket   = tokens.Bucket
	SessionsBucket = sessions.Bucket
	PlanBucket     = plan.Bucket
)

// markerTTL is how long the marker of a value stands that had an end. While a marker stands, whoever was away
// learns of the removal; and a server that was killed does not show again what stood before it. What was
// removed of workflows, interest, nodes and offers, whose values have no end, leaves a marker without one.
const markerTTL = time.Hour

// table is all that is kept, a row a bucket: how it is opened, followed, waited for, examined and measured
// follows from its row.
var table = []row{
	rowOf(planners.Layout, planners.Decode, func(s *Store, keys *kv.Keys) *kv.View[planners.Record] {
		s.Planners = planners.New(keys, planners.Config{TTL: s.cfg.PlannerTTL, Clock: s.clock, LastOnBus: s.cfg.LastOnBus, Log: s.log})
		return s.Planners.View()
	}),

	rowOf(kv.Layout{Bucket: WorkflowsBucket, Description: "What has to run, by workflow"},
		decodeWorkflow, func(s *Store, keys *kv.Keys) *kv.View[WorkflowRecord] {
			s.Workflows = newWorkflows(keys)
			return s.Workflows.view
		}),

	rowOf(kv.Layout{Bucket: InterestBucket, Description: "Which replicas have streams on a peer, by peer"},
		decodeInterest, func(s *Store, keys *kv.Keys) *kv.View[[]string] {
			s.Interest = newInterest(keys)
			return s.Interest.view
		}),

	rowOf(kv.Layout{Bucket: RequestsBucket, Description: "When a planner was last asked for, and by whom, by peer"},
		decodeClaim, func(s *Store, keys *kv.Keys) *kv.View[Claim] {
			s.Requests = newRequests(keys)
			return s.Requests.view
		}),

	rowOf(kv.Layout{Bucket: ReplicasBucket, Description: "Leases of the replicas that live, by replica"},
		decodeLease, func(s *Store, keys *kv.Keys) *kv.View[Lease] {
			s.Leases = newLeases(keys, s.cfg.LeaseTTL)
			return s.Leases.view
		}),

	rowOf(kv.Layout{Bucket: NodesBucket, Description: "Compute nodes, by node"},
		decodeNode, func(s *Store, keys *kv.Keys) *kv.View[NodeRecord] {
			s.Nodes = newNodes(keys)
			return s.Nodes.view
		}),

	rowOf(kv.Layout{Bucket: LivenessBucket, Description: "Last heartbeat of the nodes that live, by node"},
		decodePulse, func(s *Store, keys *kv.Keys) *kv.View[Pulse] {
			s.Liveness = newLiveness(keys)
			return s.Liveness.view
		}),

	rowOf(kv.Layout{
		Bucket:      ExecutionsBucket,
		Description: "What runs or ran on the nodes, by execution; and how far each node's events were handled",
		Beside:      []string{cursorPrefix + "*"}, Batches: true, Durables: []jetstream.ConsumerConfig{toldConsumer},
	}, decodeExecution, func(s *Store, keys *kv.Keys) *kv.View[execution.Execution] {
		s.Executions = newExecutions(keys)
		return s.Executions.view
	}),

	rowOf(kv.Layout{Bucket: PartitionsBucket, Description: "Which replica handles the events of which nodes, and how far, by partition"},
		decodePartition, func(s *Store, keys *kv.Keys) *kv.View[Partition] {
			s.Partitions = newPartitions(keys)
			return s.Partitions.view
		}),

	rowOf(kv.Layout{Bucket: OffersBucket, Description: "What each node offers of its peer, by node"},
		decodeOffer, func(s *Store, keys *kv.Keys) *kv.View[OfferRecord] {
			s.Offers = newOffers(keys, s.Nodes)
			return s.Offers.view
		}),

	rowOf(tokens.Layout, tokens.Decode, func(s *Store, keys *kv.Keys) *kv.View[*tokens.Record] {
		s.Tokens = tokens.New(keys)
		return s.Tokens.View()
	}),

	rowOf(sessions.Layout, sessions.Decode, func(s *Store, keys *kv.Keys) *kv.View[*sessions.Record] {
		s.Sessions = sessions.New(keys)
		return s.Sessions.View()
	}),

	{
		layout: plan.Layout,
		open: func(s *Store, of *kv.Stream) view {
			s.Plan = plan.New(of, s.clock, s.log)
			return s.Plan
		},
		examine: []examine{
			examineOf(plan.Schedules, plan.DecodeSchedule), examineOf(plan.Bookings, plan.DecodeBooking),
			examineOf(plan.Runs, plan.DecodeRun), examineOf(plan.Holds, plan.DecodeHold), examineOf(plan.Heads, plan.DecodeHead),
		},
	},
}
