package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// jetStream asks whether the account has JetStream; without it nothing else can be looked at.
func (e *exam) jetStream(ctx context.Context) {
	js, err := jetstream.New(e.nc, jetstream.WithDefaultTimeout(patience))
	if err == nil {
		_, err = js.AccountInfo(ctx)
	}
	switch {
	case err == nil:
		e.ok("enabled for the account")
		e.js = js
	case errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		e.fail("not enabled for the account of these credentials", "`jetstream: enabled` in this account in nats.conf, or credentials of another account")
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled):
		e.fail("not enabled on the server", "a `jetstream { store_dir: … }` block in nats.conf, or `nats-server -js`")
	default:
		e.fail(fmt.Sprintf("does not answer: %v", err), "in a cluster a majority of the servers must run; the user must be permitted to publish on $JS.API.>")
	}
}

// limits compares what the account may use with what is used and needed.
func (e *exam) limits(ctx context.Context) {
	account, err := e.js.AccountInfo(ctx)
	if err != nil {
		e.unknown(fmt.Sprintf("limits of the account: %v", err), "run this again")
		return
	}
	e.tiers = account.Tiers
	if len(e.tiers) == 0 {
		e.tiers = map[string]jetstream.Tier{"": account.Tier}
	}
	before := len(e.findings)
	for _, name := range slices.Sorted(maps.Keys(e.tiers)) {
		e.tier(name, e.tiers[name])
	}
	if len(e.findings) == before {
		e.ok("the account has room: %s, %s, %d bytes stored", counted(account.Streams, "stream"), counted(account.Consumers, "consumer"), account.Store)
	}
}

func (e *exam) tier(name string, t jetstream.Tier) {
	if name != "" {
		name += ": "
	}
	limit := t.Limits
	missing := len(expectations(1)) - len(e.streams) - len(e.untold)
	if limit.MaxStreams > 0 && t.Streams+missing > limit.MaxStreams {
		e.fail(fmt.Sprintf("%smax_streams is %d; %d are there and %d more are needed", name, limit.MaxStreams, t.Streams, missing),
			fmt.Sprintf("`max_streams: %d` in the account's jetstream limits, then nats-server --signal reload", t.Streams+missing))
		e.hinders = e.last()
	}
	if need := ackPending(); limit.MaxAckPending > 0 && limit.MaxAckPending < need {
		e.fail(fmt.Sprintf("%smax_ack_pending is %d; the durable consumers need %d", name, limit.MaxAckPending, need),
			fmt.Sprintf("`max_ack_pending: %d` in the account's jetstream limits, then nats-server --signal reload", need))
		e.hinders = e.last()
	}
	if limit.MaxBytesRequired {
		e.fail(name+"the account wants a size limit on each stream; a bucket with one would lose what it must keep", "`max_bytes_required: false` in the account's jetstream limits, then nats-server --signal reload")
		e.hinders = e.last()
	}
	if limit.MaxStore > 0 {
		e.storage(name+"max_store of the account", t.Store, limit.MaxStore)
	}
}

// consumerLimits compares what the account may have of consumers with what the replicas that live need: the
// server counts them per stream, a view per replica, twice when one is replaced, and the durable.
func (e *exam) consumerLimits(context.Context) {
	replicas := max(len(e.alive), 1)
	need := 2*replicas + 1
	for _, name := range slices.Sorted(maps.Keys(e.tiers)) {
		if most := e.tiers[name].Limits.MaxConsumers; most > 0 && most < need {
			e.warn(strings.TrimPrefix(fmt.Sprintf("%s: max_consumers is %d; %s may need %d on a stream", name, most, counted(replicas, "replica"), need), ": "),
				fmt.Sprintf("`max_consumers: %d` in the account's jetstream limits, then nats-server --signal reload", need))
		}
	}
}

// storage tells when disk space comes to its end.
func (e *exam) storage(what string, used uint64, limit int64) {
	share := float64(used) / float64(limit)
	text := fmt.Sprintf("%s: %.0f %% of %d bytes are used", what, 100*share, limit)
	mend := "raise it, or remove what is not needed: `" + e.nats("stream report") + "` shows what takes the room"
	switch {
	case share >= 0.95:
		e.fail(text+"; writes are refused when it is full", mend)
	case share >= 0.80:
		e.warn(text, mend)
	}
}
