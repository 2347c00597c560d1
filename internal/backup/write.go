package backup

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
)

// Stream is what a file has of a stream.
type Stream struct {
	Name     string
	Messages uint64
	Bytes    int64 // in the file
}

// Write writes what stands in JetStream. spool is a directory for what does not fit into memory. It fails when a stream
// is missing or cannot be read to its end.
func Write(ctx context.Context, js jetstream.JetStream, version, spool string, to io.Writer) ([]Stream, error) {
	now := time.Now().UTC()
	w := &writer{tar: tar.NewWriter(to), at: now}
	if err := w.addJSON(headName, Head{format, version, now}); err != nil {
		return nil, err
	}
	var all []Stream
	for _, x := range kept(1) {
		s, err := w.stream(ctx, js, x, spool)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			err = errors.New("is not there: no replica has ever been ready on this NATS account")
		}
		if err != nil {
			return nil, fmt.Errorf("stream %s: %w", x.Stream.Name, err)
		}
		all = append(all, s)
	}
	return all, w.close()
}

// stream writes one by way of a file: an entry begins with its size.
func (w *writer) stream(ctx context.Context, js jetstream.JetStream, of jet.Expected, spool string) (s Stream, err error) {
	stream, err := jet.Stream(ctx, js, of.Stream.Name)
	if err != nil {
		return s, err
	}
	f, err := os.CreateTemp(spool, ".oc-scheduler-backup-*")
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	about, messages, err := archiveStream(ctx, js, of, stream, f)
	if err != nil {
		return s, err
	}
	size, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return s, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return s, err
	}
	if err := w.addJSON(of.Stream.Name+metaName, about); err != nil {
		return s, err
	}
	return Stream{of.Stream.Name, messages, size}, w.add(of.Stream.Name+dataName, size, f)
}
