package store

import (
	"context"
	"iter"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/planners"
)

// ReadPlanners reads all planners past the views, as kv.Read does.
func ReadPlanners(ctx context.Context, js jetstream.JetStream) iter.Seq2[kv.Reading[planners.Record], error] {
	return kv.Read(ctx, js, kv.BucketSpace(PlannersBucket), planners.Decode)
}

// ReadInterest reads the lists of replicas of all peers past the views, as kv.Read does.
func ReadInterest(ctx context.Context, js jetstream.JetStream) iter.Seq2[kv.Reading[[]string], error] {
	return kv.Read(ctx, js, kv.BucketSpace(InterestBucket), decodeInterest)
}

// ReadLeases reads the leases of all replicas past the views, as kv.Read does.
func ReadLeases(ctx context.Context, js jetstream.JetStream) iter.Seq2[kv.Reading[Lease], error] {
	return kv.Read(ctx, js, kv.BucketSpace(ReplicasBucket), decodeLease)
}

// ReadNodes reads all compute nodes past the views, as kv.Read does.
func ReadNodes(ctx context.Context, js jetstream.JetStream) iter.Seq2[kv.Reading[NodeRecord], error] {
	return kv.Read(ctx, js, kv.BucketSpace(NodesBucket), decodeNode)
}

// ReadOffers reads what all nodes offer past the views, as kv.Read does.
func ReadOffers(ctx context.Context, js jetstream.JetStream) iter.Seq2[kv.Reading[OfferRecord], error] {
	return kv.Read(ctx, js, kv.BucketSpace(OffersBucket), decodeOffer)
}
