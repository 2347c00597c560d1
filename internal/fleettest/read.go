package fleettest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
	"oc-scheduler/store/id"
)

// Values reads the living values of a bucket, by identifier.
func Values(ctx context.Context, js jetstream.JetStream, bucket string) (map[string][]byte, error) {
	living, err := Living(ctx, js, bucket, "")
	if err != nil {
		return nil, err
	}
	values := map[string][]byte{}
	for key, value := range living {
		of, err := id.FromKey(key)
		if err != nil {
			return nil, err
		}
		values[of] = value
	}
	return values, nil
}

// Living reads the living values of a bucket whose keys begin so, by what follows in the key.
func Living(ctx context.Context, js jetstream.JetStream, bucket, begin string) (map[string][]byte, error) {
	prefix := "$KV." + bucket + "." + begin
	msgs, err := all(ctx, js, "KV_"+bucket, jetstream.DeliverLastPerSubjectPolicy, prefix+">")
	if err != nil {
		return nil, err
	}
	values := map[string][]byte{}
	for _, m := range msgs {
		if m.Headers().Get("KV-Operation") == "" && m.Headers().Get(jetstream.MarkerReasonHeader) == "" {
			values[strings.TrimPrefix(m.Subject(), prefix)] = m.Data()
		}
	}
	return values, nil
}

// all reads what a stream holds.
func all(ctx context.Context, js jetstream.JetStream, stream string, policy jetstream.DeliverPolicy, filter string) ([]jetstream.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	end, err := jet.End(ctx, js, stream, filter)
	if err != nil {
		return nil, err
	}
	cons, err := js.CreateConsumer(ctx, stream, jetstream.ConsumerConfig{
		AckPolicy: jetstream.AckNonePolicy, DeliverPolicy: policy, FilterSubject: filter,
		InactiveThreshold: 10 * time.Second, MemoryStorage: true, Replicas: 1,
	})
	if err != nil {
		return nil, err
	}
	var msgs []jetstream.Msg
	for pending := int(cons.CachedInfo().NumPending); len(msgs) < pending; {
		batch, err := cons.Fetch(min(pending-len(msgs), 1000), jetstream.FetchMaxWait(3*time.Second))
		if err != nil {
			return nil, err
		}
		before := len(msgs)
		for m := range batch.Messages() {
			msgs = append(msgs, m)
		}
		if err := batch.Error(); err != nil || len(msgs) == before {
			return nil, fmt.Errorf("%s: %d of %d messages: %w", stream, len(msgs), pending, err)
		}
	}
	if err := reaches(msgs, end); err != nil {
		return nil, fmt.Errorf("%s: %w", stream, err)
	}
	return msgs, js.DeleteConsumer(ctx, stream, cons.CachedInfo().Name)
}

// reaches fails when what was read ends before what the stream's leader had.
func reaches(msgs []jetstream.Msg, end uint64) error {
	if end == 0 {
		return nil
	}
	if len(msgs) == 0 {
		return jet.ErrBehind
	}
	last, err := msgs[len(msgs)-1].Metadata()
	if err == nil && last.Sequence.Stream < end {
		return jet.ErrBehind
	}
	return err
}

// Lives reads when the life of each planner that stands began.
func Lives(ctx context.Context, js jetstream.JetStream) (map[string]time.Time, error) {
	values, err := Values(ctx, js, "planners")
	if err != nil {
		return nil, err
	}
	began := map[string]time.Time{}
	for peer, value := range values {
		var p struct {
			First time.Time `json:"first_seen_at"`
		}
		if err := json.Unmarshal(value, &p); err != nil {
			return nil, err
		}
		began[peer] = p.First
	}
	return began, nil
}
