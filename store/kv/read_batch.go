package kv

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
)

const (
	batchMessages = 256
	batchBytes    = 16 << 20 // below what a subscription holds back; one value may come on top
	// behindPause is when a member that is behind is asked again, or another is.
	behindPause = 50 * time.Millisecond
)

// keyed is the newest message of a key.
type keyed struct {
	key Key
	Message
}

// readMessages reads a space with batched direct reads (nats-server, JSApiMsgGetRequest), which
// need no consumer. After an error nothing follows.
func readMessages(ctx context.Context, js jetstream.JetStream, space Space) iter.Seq2[keyed, error] {
	return func(yield func(keyed, error) bool) {
		b := batches{js: js, space: space, inbox: js.Conn().NewInbox(), arrived: make(chan *nats.Msg, 2*batchMessages)}
		sub, err := js.Conn().ChanSubscribe(b.inbox, b.arrived)
		if err != nil {
			yield(keyed{}, err)
			return
		}
		defer func() { _ = sub.Unsubscribe() }() // it fails when the connection is gone, and it with it
		err = b.read(ctx, func(m keyed) bool { return yield(m, nil) })
		if err != nil && !errors.Is(err, errEnough) {
			yield(keyed{}, err)
		}
	}
}

// errEnough says that the reader wants no more.
var errEnough = errors.New("enough")

// batches is one reading of a space.
type batches struct {
	js      jetstream.JetStream
	space   Space
	inbox   string
	arrived chan *nats.Msg
	last    uint64 // revision read last
}

// read hands over what stands, to its end. Any member may answer a request, also one that is behind the stream's
// leader: that it has no more is not the end.
func (b *batches) read(ctx context.Context, each func(keyed) bool) error {
	for behind := time.Now(); ; {
		before := b.last
		more, err := b.readOne(ctx, each)
		if err != nil {
			return err
		}
		if b.last > before {
			behind = time.Now()
		}
		if more && b.last > before {
			continue
		}
		end, err := b.end(ctx)
		switch {
		case err != nil || b.last >= end:
			return err
		case time.Since(behind) > catchUp:
			return jet.ErrBehind
		}
		if err := Sleep(ctx, behindPause); err != nil {
			return err
		}
	}
}

func (b *batches) end(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, AttemptTimeout)
	defer cancel()
	return jet.End(ctx, b.js, StreamName(b.space.Bucket), b.space.Filter())
}

func (b *batches) request() error {
	body, err := json.Marshal(struct {
		Seq      uint64 `json:"seq"`
		NextFor  string `json:"next_by_subj"`
		Batch    int    `json:"batch"`
		MaxBytes int    `json:"max_bytes"`
	}{b.last + 1, b.space.Filter(), batchMessages, batchBytes})
	if err != nil {
		return err
	}
	return b.js.Conn().PublishRequest(jetstream.DefaultAPIPrefix+"DIRECT.GET."+StreamName(b.space.Bucket), b.inbox, body)
}

// readOne hands over the messages of one batch. more says that who answers has others left.
func (b *batches) readOne(ctx context.Context, each func(keyed) bool) (more bool, err error) {
	if err := b.request(); err != nil {
		return false, err
	}
	for {
		m, err := b.next(ctx)
		if err != nil {
			return false, err
		}
		status := m.Header.Get("Status")
		if m.Header.Get(jetstream.SequenceHeader) != "" { // a message, whatever else its headers say
			status = ""
		}
		switch status {
		case "":
		case "204": // end of the batch
			return m.Header.Get("Nats-Num-Pending") != "0", nil
		case "404": // nothing from there on
			return false, nil
		case "503":
			return false, nats.ErrNoResponders
		default:
			return false, fmt.Errorf("direct read: status %s %s", status, m.Header.Get("Description"))
		}
		kept, err := keyedOf(m, b.space)
		if err != nil {
			return false, err
		}
		b.last = kept.Revision
		if !each(kept) {
			return false, errEnough
		}
	}
}

func (b *batches) next(ctx context.Context) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, AttemptTimeout)
	defer cancel()
	select {
	case m := <-b.arrived:
		return m, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func keyedOf(m *nats.Msg, space Space) (keyed, error) {
	revision, err := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
	if err != nil {
		return keyed{}, fmt.Errorf("direct read: sequence: %w", err)
	}
	stored, err := time.Parse(time.RFC3339Nano, m.Header.Get(jetstream.TimeStampHeaer))
	if err != nil {
		return keyed{}, fmt.Errorf("direct read: time: %w", err)
	}
	key := space.Key(m.Header.Get(jetstream.SubjectHeader))
	return keyed{key, Message{revision, m.Header, m.Data, stored}}, nil
}
