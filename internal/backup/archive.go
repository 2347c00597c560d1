package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/klauspost/compress/s2"
	"github.com/nats-io/nats-server/v2/server/archive"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
)

// snapshotOf is what a restoration is asked with (nats-server, JSApiStreamRestoreRequest), and backup.json of a stream.
type snapshotOf struct {
	Config jetstream.StreamConfig `json:"config"`
	State  jetstream.StreamState  `json:"state"`
}

// durable is a shared consumer and how far it was acknowledged (nats-server, SnapshotConsumerState).
type durable struct {
	Config jetstream.ConsumerConfig `json:"config"`
	State  struct {
		Delivered position `json:"delivered"`
		Floor     position `json:"ack_floor"`
	} `json:"state"`
}

type position struct {
	Consumer uint64 `json:"consumer_seq"`
	Stream   uint64 `json:"stream_seq"`
}

// archiveStream writes a stream as NATS 2.15 writes its snapshots. What was on its way to a consumer goes to it again.
func archiveStream(ctx context.Context, js jetstream.JetStream, of jet.Expected, stream jetstream.Stream, to io.Writer) (snapshotOf, uint64, error) {
	durables, err := durablesOf(ctx, stream, of.Durables)
	if err != nil {
		return snapshotOf{}, 0, err
	}
	info, err := stream.Info(ctx) // after them: none is ahead of it
	if err != nil {
		return snapshotOf{}, 0, err
	}
	about := snapshotOf{info.Config, info.State}
	about.State.Consumers, about.State.Deleted, about.State.Subjects = len(durables), nil, nil
	packed := s2.NewWriter(to)
	w := archive.NewWriter(packed)
	if err := writeEntry(w, &archive.Header{Name: "state.json"}, about.State); err != nil {
		return about, 0, err
	}
	for _, d := range durables {
		if err := writeEntry(w, &archive.Header{Name: "consumers/" + d.Config.Name}, d); err != nil {
			return about, 0, err
		}
	}
	var messages uint64
	read := reading{js: js, stream: stream, each: func(m *nats.Msg, meta *nats.MsgMetadata) error {
		messages++
		return writeMessage(w, m, meta)
	}}
	if err := read.run(ctx); err != nil {
		return about, messages, err
	}
	if err := w.WriteHeader(&archive.Header{}); err != nil { // the end, by which NATS knows one that was cut off
		return about, messages, err
	}
	return about, messages, packed.Close()
}

func durablesOf(ctx context.Context, stream jetstream.Stream, wanted []jetstream.ConsumerConfig) ([]durable, error) {
	var all []durable
	for _, want := range wanted {
		consumer, err := stream.Consumer(ctx, want.Durable)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", jet.ConsumerName(stream.CachedInfo().Config.Name, want.Durable), err)
		}
		info := consumer.CachedInfo()
		d := durable{Config: info.Config}
		d.Config.Name = info.Name
		d.State.Floor = position{info.AckFloor.Consumer, info.AckFloor.Stream}
		d.State.Delivered = d.State.Floor
		all = append(all, d)
	}
	return all, nil
}

func writeEntry(w *archive.Writer, head *archive.Header, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	head.PayloadSize = int64(len(data))
	if err := w.WriteHeader(head); err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

func writeMessage(w *archive.Writer, m *nats.Msg, meta *nats.MsgMetadata) error {
	header := headerBytes(m.Header)
	err := w.WriteHeader(&archive.Header{
		Name: m.Subject, Sequence: meta.Sequence.Stream, Timestamp: meta.Timestamp.UnixNano(),
		HeaderSize: int64(len(header)), PayloadSize: int64(len(m.Data)),
	})
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	_, err = w.Write(m.Data)
	return err
}

// headerBytes is a header as it is on the wire; nil of one without fields.
func headerBytes(h nats.Header) []byte {
	if len(h) == 0 {
		return nil
	}
	var b bytes.Buffer
	b.WriteString("NATS/1.0\r\n")
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			fmt.Fprintf(&b, "%s: %s\r\n", name, value)
		}
	}
	b.WriteString("\r\n")
	return b.Bytes()
}
