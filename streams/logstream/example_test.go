package logstream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"oc-scheduler/streams/logstream"
)

// A node keeps the output of what it runs, and serves it; anybody who may speak to it over NATS reads.
func Example() {
	if err := example(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// stdout: it begins
	// stderr: it ends
}

func example(ctx context.Context) error {
	nats, err := connect()
	if err != nil {
		return err
	}
	defer nats.stop()

	// On the node: a directory, and a listener as long as the connection lasts.
	dir, err := os.MkdirTemp("", "output")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	files, err := logstream.NewFiles(dir, logstream.FilesConfig{})
	if err != nil {
		return err
	}
	listener, err := logstream.NewListener(logstream.ListenerConfig{Conn: nats.Conn, NodeID: "node-1", Server: files})
	if err != nil {
		return err
	}
	if err := listener.Start(ctx); err != nil {
		return err
	}
	defer func() { _ = listener.Stop(ctx) }()

	// What runs there writes to Stdout and Stderr, e.g. as exec.Cmd does.
	output, err := files.Create("execution-7")
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(output.Stdout(), "it begins")
	_, _ = fmt.Fprintln(output.Stderr(), "it ends")
	if err := output.Close(); err != nil {
		return err
	}

	// Elsewhere: read it to the end.
	reader, err := logstream.Open(ctx, nats.Conn, "node-1", logstream.Request{ExecutionID: "execution-7", Follow: true})
	if err != nil {
		return err
	}
	defer func() { _ = reader.Close() }()
	for {
		chunk, err := reader.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s", chunk.Source, chunk.Data)
	}
}

// connection is one to a NATS server that an application has anyway.
type connection struct {
	*nats.Conn
	server *server.Server
}

func connect() (*connection, error) {
	s, err := server.NewServer(&server.Options{DontListen: true, NoLog: true, NoSigs: true})
	if err != nil {
		return nil, err
	}
	s.Start()
	nc, err := nats.Connect("", nats.InProcessServer(s))
	if err != nil {
		s.Shutdown()
		return nil, err
	}
	return &connection{nc, s}, nil
}

func (c *connection) stop() {
	c.Close()
	c.server.Shutdown()
	c.server.WaitForShutdown()
}
