package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/backup"
)

type backupCmd struct {
	storeFlags
	outputFlags
	File string `arg:"" help:"The file to write, which must not be there yet."`
}

// Help says what is in it.
func (*backupCmd) Help() string {
	return "Replicas may run meanwhile. Each stream is written as it stood at one moment; with no replica running, all of them " +
		"are of the same one. Who lives, who watches and who is logged in is not kept. The file holds hashes of tokens, and all else in the clear."
}

// Run writes the file.
func (c *backupCmd) Run(ctx context.Context, con *console) error {
	begin := time.Now()
	var streams []backup.Stream
	if err := c.stands(con); err != nil {
		return err
	}
	err := c.with(ctx, con, func(js jetstream.JetStream) error {
		return backup.CreateFile(c.File, func(to io.Writer) (err error) {
			streams, err = backup.Write(ctx, js, version, filepath.Dir(c.File), to)
			return err
		})
	})
	if err != nil {
		return err
	}
	return printStreams(c.printer(con), streams, fmt.Sprintf("%s written in %v", c.File, time.Since(begin).Round(time.Millisecond)))
}

type restoreCmd struct {
	storeFlags
	outputFlags
	JSReplicas int    `name:"js-replicas" placeholder:"N" help:"JetStream replication of what is restored: 1, 3 or 5; by default as it was."`
	Replace    bool   `help:"Remove what oc-scheduler keeps there now, for good."`
	File       string `arg:"" help:"The file that backup has written."`
}

// Help says when it is refused, and what is not undone.
func (*restoreCmd) Help() string {
	return "Refused while replicas live, over streams that stand (but with --replace), and of a file that is not whole, before anything " +
		"is changed. TTLs and timers go on as if nothing had been: what fell due meanwhile ends, or fires, at once. What a node has run since " +
		"the backup and is not too late to catch up runs again. Tokens revoked since are valid again."
}

// AfterApply checks what NATS would refuse later.
func (c *restoreCmd) AfterApply() error {
	switch c.JSReplicas {
	case 0, 1, 3, 5:
		return nil
	}
	return fmt.Errorf("--js-replicas: %d is not 1, 3 or 5", c.JSReplicas)
}

// Run restores the file.
func (c *restoreCmd) Run(ctx context.Context, con *console) error {
	f, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	begin := time.Now()
	var head backup.Head
	var streams []backup.Stream
	err = c.with(ctx, con, func(js jetstream.JetStream) (err error) {
		head, streams, err = backup.Restore(ctx, js, f, backup.Options{Copies: c.JSReplicas, Replace: c.Replace, Waits: func(replicas []string) {
			_, _ = fmt.Fprintf(con.stderr, "waiting for the leases of %s to end, which have stopped: 30 s at most\n", strings.Join(replicas, ", "))
		}})
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	return printStreams(c.printer(con), streams, fmt.Sprintf("restored in %v, as of %s (oc-scheduler %s); replicas may start",
		time.Since(begin).Round(time.Millisecond), head.MadeAt.Format(time.RFC3339), head.Version))
}

// streamDoc is a stream of a backup as programs read it.
type streamDoc struct {
	Name     string `json:"name"`
	Messages uint64 `json:"messages"`
	Bytes    int64  `json:"bytes"`
}

func streamDocs(streams []backup.Stream) []streamDoc {
	docs := make([]streamDoc, len(streams))
	for i, s := range streams {
		docs[i] = streamDoc(s)
	}
	return docs
}

func printStreams(p *printer, streams []backup.Stream, last string) error {
	if !p.forPeople() {
		return printAll(p, streamDocs(streams))
	}
	t := newTable(p.paper, "STREAM MESSAGES BYTES")
	for _, s := range streams {
		t.row(s.Name, s.Messages, s.Bytes)
	}
	if err := t.flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(p, last)
	return err
}
