package backup

import (
	"archive/tar"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/store/histories"
	"oc-scheduler/streams/orchestrator"
)

// Options say how a file is restored.
type Options struct {
	Copies  int  // JetStream replication of what is restored; 0: as it was
	Replace bool // what stands there is removed first

	Waits func(replicas []string) // if not nil, told when the leases of these, which have ended or are about to, are waited for
}

// Restore reads a file that Write has written into JetStream, where no replica may live. Whatever speaks against that is
// found out before anything is changed, in the file to its last byte and at the server, and told in words of an operator's.
func Restore(ctx context.Context, js jetstream.JetStream, file io.ReadSeeker, o Options) (Head, []Stream, error) {
	head, streams, err := inspect(file, o.Copies)
	if err != nil {
		return head, nil, err
	}
	if err := prepare(ctx, js, streams, o); err != nil {
		return head, nil, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return head, nil, err
	}
	var done []Stream
	for r := tar.NewReader(bufio.NewReaderSize(file, 1<<20)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && strings.HasSuffix(h.Name, dataName) {
			name := strings.TrimSuffix(h.Name, dataName)
			err = transfer(ctx, js, streams[name], r)
			done = append(done, Stream{name, streams[name].State.Msgs, h.Size})
		}
		if err != nil {
			return head, done, fmt.Errorf("%w; what was restored so far is no whole: restore again with --replace", err)
		}
	}
	return head, done, store.Restored(ctx, js, slog.New(slog.DiscardHandler))
}

// inspect verifies a file, and that this program can work with what is in it.
func inspect(file io.Reader, copies int) (Head, map[string]snapshotOf, error) {
	streams := map[string]snapshotOf{}
	var faults []error
	head, err := verify(file, func(e entry) error {
		name, is := strings.CutSuffix(e.name, metaName)
		if !is {
			return nil
		}
		var s snapshotOf
		if e.small(&s) != nil || s.Config.Name != name {
			return errBroken
		}
		if copies != 0 {
			s.Config.Replicas = copies
		}
		streams[name] = s
		faults = append(faults, usable(s.Config))
		return nil
	})
	if err != nil {
		return head, nil, err
	}
	for _, x := range kept(1) {
		if _, there := streams[x.Stream.Name]; !there {
			faults = append(faults, fmt.Errorf("the backup, by oc-scheduler %s, lacks stream %s", head.Version, x.Stream.Name))
		}
	}
	return head, streams, errors.Join(faults...)
}

// usable says whether the replicas of this release can work with a stream.
func usable(have jetstream.StreamConfig) error {
	all := kept(have.Replicas)
	i := slices.IndexFunc(all, func(x jet.Expected) bool { return x.Stream.Name == have.Name })
	if i < 0 {
		return fmt.Errorf("the backup holds stream %s, which this release does not know", have.Name)
	}
	_, err := jet.Adapt(have, all[i].Stream)
	return err
}

// prepare makes room for what is restored.
func prepare(ctx context.Context, js jetstream.JetStream, streams map[string]snapshotOf, o Options) error {
	for _, s := range streams {
		if s.Config.Replicas > 1 && js.Conn().ConnectedClusterName() == "" {
			return &jet.NoClusterError{Replicas: s.Config.Replicas}
		}
	}
	if version := js.Conn().ConnectedServerVersion(); !restores(version) {
		return fmt.Errorf("NATS %s does not take the streams of a backup; 2.15 or newer does", version)
	}
	var standing []string
	for _, x := range slices.Concat(store.Expect(1), events.Expect(1), orchestrator.Expect(1), histories.Expect(1)) {
		_, err := jet.Stream(ctx, js, x.Stream.Name)
		if err == nil {
			standing = append(standing, x.Stream.Name)
		} else if !errors.Is(err, jetstream.ErrStreamNotFound) {
			return fmt.Errorf("stream %s: %w", x.Stream.Name, err)
		}
	}
	if len(standing) > 0 && !o.Replace {
		return fmt.Errorf("there are streams of oc-scheduler already (%s): with --replace they are removed first, for good", strings.Join(standing, ", "))
	}
	if err := nobodyLives(ctx, js, o.Waits); err != nil {
		return err
	}
	for _, name := range standing {
		if err := js.DeleteStream(ctx, name); err != nil {
			return fmt.Errorf("stream %s: %w", name, err)
		}
	}
	return nil
}

// restores says whether a server of a version takes snapshots of the format that is written.
func restores(version string) bool {
	var major, minor int
	_, err := fmt.Sscanf(version, "%d.%d", &major, &minor)
	return err == nil && (major > 2 || major == 2 && minor >= 15)
}
