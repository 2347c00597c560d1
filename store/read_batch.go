package store

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	batchMessages = 256
	batchBytes    = 16 << 20 // below what a subscription holds back; one value may come on top
)

// keyed is the newest message of a key.
type keyed struct {
	key string
	message
}

// readMessages reads a bucket with batched direct reads (nats-server, JSApiMsgGetRequest), which
// need no consumer. After an error nothing follows.
func readMessages(ctx context.Context, nc *nats.Conn, bucket string) iter.Seq2[keyed, error] {
	return func(yield func(keyed, error) bool) {
		inbox, arrived := nc.NewInbox(), make(chan *nats.Msg, 2*batchMessages)
		sub, err := nc.ChanSubscribe(inbox, arrived)
		if err != nil {
			yield(keyed{}, err)
			return
		}
		defer func() { _ = sub.Unsubscribe() }() // it fails when the connection is gone, and it with it
		for from, more := uint64(1), true; more; {
			if err = requestBatch(nc, inbox, bucket, from); err != nil {
				break
			}
			var last uint64
			if last, more, err = readBatch(ctx, arrived, bucket, yield); err != nil || last == 0 {
				break
			}
			from = last + 1
		}
		if err != nil {
			yield(keyed{}, err)
		}
	}
}

func requestBatch(nc *nats.Conn, inbox, bucket string, from uint64) error {
	body, err := json.Marshal(struct {
		Seq      uint64 `json:"seq"`
		NextFor  string `json:"next_by_subj"`
		Batch    int    `json:"batch"`
		MaxBytes int    `json:"max_bytes"`
	}{from, subjectPrefix(bucket) + ">", batchMessages, batchBytes})
	if err != nil {
		return err
	}
	return nc.PublishRequest(jetstream.DefaultAPIPrefix+"DIRECT.GET."+streamName(bucket), inbox, body)
}

// readBatch hands over the messages of one batch. more says that others are left after last.
func readBatch(ctx context.Context, arrived <-chan *nats.Msg, bucket string, yield func(keyed, error) bool) (last uint64, more bool, err error) {
	for {
		m, err := nextOf(ctx, arrived)
		if err != nil {
			return last, false, err
		}
		status := m.Header.Get("Status")
		if m.Header.Get(jetstream.SequenceHeader) != "" { // a message, whatever else its headers say
			status = ""
		}
		switch status {
		case "":
		case "204": // end of the batch
			return last, m.Header.Get("Nats-Num-Pending") != "0", nil
		case "404": // nothing from there on
			return last, false, nil
		case "503":
			return last, false, nats.ErrNoResponders
		default:
			return last, false, fmt.Errorf("direct read: status %s %s", status, m.Header.Get("Description"))
		}
		kept, err := keyedOf(m, bucket)
		if err != nil {
			return last, false, err
		}
		last = kept.Revision
		if !yield(kept, nil) {
			return last, false, nil
		}
	}
}

func nextOf(ctx context.Context, arrived <-chan *nats.Msg) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	select {
	case m := <-arrived:
		return m, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func keyedOf(m *nats.Msg, bucket string) (keyed, error) {
	revision, err := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
	if err != nil {
		return keyed{}, fmt.Errorf("direct read: sequence: %w", err)
	}
	stored, err := time.Parse(time.RFC3339Nano, m.Header.Get(jetstream.TimeStampHeaer))
	if err != nil {
		return keyed{}, fmt.Errorf("direct read: time: %w", err)
	}
	key := strings.TrimPrefix(m.Header.Get(jetstream.SubjectHeader), subjectPrefix(bucket))
	return keyed{key, message{revision, m.Header, m.Data, stored}}, nil
}
