package compute_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/planner"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/nclprotocol"
	end "oc-scheduler/streams/orchestrator"
)

// scheduler is the other end of a node's connection, with a NATS server, as an example has it: what fails panics.
type scheduler struct {
	url   string
	conn  *nats.Conn
	store *store.Store
	*end.Service
	stop func()
}

func startScheduler(ctx context.Context) *scheduler {
	dir, err := os.MkdirTemp("", "nats")
	must(err)
	ns, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: dir, MaxPayload: 9 << 20, NoLog: true, NoSigs: true})
	must(err)
	ns.Start()
	if !ns.ReadyForConnections(time.Minute) {
		panic("NATS does not answer")
	}
	s := &scheduler{url: ns.ClientURL()}
	s.conn, err = nats.Connect(s.url)
	must(err)
	js, err := jetstream.New(s.conn)
	must(err)
	s.store, err = store.Open(ctx, js, store.Config{Replicas: 1}, slog.New(slog.DiscardHandler), nil)
	must(err)
	s.Service, err = end.Open(ctx, js, s.store, end.Config{ReplicaID: "r1"})
	must(err)

	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var parts sync.WaitGroup
	parts.Go(func() { must(s.store.Run(running)) })
	parts.Go(func() { must(s.Run(running)) })
	s.stop = func() {
		cancel()
		parts.Wait()
		s.conn.Close()
		ns.Shutdown()
		ns.WaitForShutdown()
		must(os.RemoveAll(dir))
	}
	s.await(ctx, func() bool { // else the node would try again in 10 s
		_, err := s.conn.Request(nclprotocol.ControlSubject("probe"), nil, time.Second)
		return err == nil
	})
	return s
}

// await looks until something is so.
func (s *scheduler) await(ctx context.Context, is func() bool) {
	for !is() {
		must(ctx.Err())
		time.Sleep(5 * time.Millisecond)
	}
}

// offered are the instances that a node offers, once it has told.
func (s *scheduler) offered(ctx context.Context, nodeID string) (refs []planner.Ref) {
	s.await(ctx, func() bool {
		entry, told := s.store.Offers.View().Get(nodeID)
		if told {
			refs = entry.Value.Refs()
		}
		return told
	})
	return refs
}

// run orders a node to sleep.
func (s *scheduler) run(ctx context.Context, nodeID, executionID string, d time.Duration) {
	_, err := s.Orders.Execute(ctx, nodeID, execution.Order{ExecutionID: executionID, Duration: d})
	must(err)
}

// ended waits for the end of an execution.
func (s *scheduler) ended(ctx context.Context, executionID string) string {
	var e execution.Execution
	s.await(ctx, func() bool {
		entry, _ := s.store.Executions.View().Get(executionID)
		e = entry.Value
		return e.State.Final()
	})
	if e.Reason != "" {
		return fmt.Sprintf("%s: %s, %s", executionID, e.State, e.Reason)
	}
	return fmt.Sprintf("%s: %s", executionID, e.State)
}

// output reads what an execution writes, to its end.
func (s *scheduler) output(ctx context.Context, nodeID, executionID string) string {
	r, err := logstream.Open(ctx, s.conn, nodeID, logstream.Request{ExecutionID: executionID, Follow: true})
	must(err)
	defer func() { _ = r.Close() }()
	var text []byte
	for {
		chunk, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return string(text)
		}
		must(err)
		text = append(text, chunk.Data...)
	}
}
