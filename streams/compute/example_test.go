package compute_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"oc-scheduler/streams/compute"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// sleeper is a node that can do one thing: sleep. What it must not forget is in its ledger.
type sleeper struct {
	ledger watcher.EventStore
	files  *logstream.Files // output
	work   sync.WaitGroup

	mu   sync.Mutex
	ends map[string]context.CancelFunc // executions that it knows: what ends one
}

// GetNodeInfo says who the node is.
func (s *sleeper) GetNodeInfo(context.Context) nclprotocol.NodeInfo {
	return nclprotocol.NodeInfo{NodeID: "north-1", PeerID: "north", Labels: map[string]string{"kind": "hall"}}
}

// GetOffer says what it has, and what others have booked on it, as a planner does.
func (s *sleeper) GetOffer(context.Context) (json.RawMessage, error) {
	return json.RawMessage(`{"capacities": {"hall": {"h1": {"beds": 100}}}, "schedule": {}}`), nil
}

// OfferChanged never comes: the offer stays as it is.
func (s *sleeper) OfferChanged() <-chan struct{} { return nil }

// ShouldProcess leaves out bookings: the scheduler keeps them, too.
func (s *sleeper) ShouldProcess(_ context.Context, m *envelope.Message) bool {
	return m.Type == nclprotocol.TypeRunExecution || m.Type == nclprotocol.TypeCancelExecution
}

// HandleMessage does what it is ordered to, once: what it knows already came before. When the ledger does not
// take the order, it comes again.
func (s *sleeper) HandleMessage(ctx context.Context, m *envelope.Message) error {
	switch order := m.Payload.(type) {
	case *nclprotocol.RunExecution:
		if s.end(order.ExecutionID) != nil {
			return nil
		}
		if err := s.note(ctx, nclprotocol.TypeRunExecution, order); err != nil {
			return err
		}
		s.begin(*order)
	case *nclprotocol.CancelExecution:
		if end := s.end(order.ExecutionID); end != nil {
			end()
			return nil
		}
		s.know(order.ExecutionID, func() {}) // should the order to run come later
		return s.tell(ctx, order.ExecutionID, nclprotocol.ExecutionCancelled, order.Reason)
	}
	return nil
}

// begin runs an order that is in the ledger.
func (s *sleeper) begin(order nclprotocol.RunExecution) {
	ctx, end := context.WithCancel(context.Background())
	s.know(order.ExecutionID, end)
	s.work.Go(func() {
		defer end()
		state, reason := s.sleep(ctx, order)
		_ = s.tell(context.Background(), order.ExecutionID, state, reason) // else resume tells that it has ended
	})
}

// sleep says what became of it.
func (s *sleeper) sleep(ctx context.Context, order nclprotocol.RunExecution) (nclprotocol.ExecutionState, string) {
	if err := s.tell(context.WithoutCancel(ctx), order.ExecutionID, nclprotocol.ExecutionRunning, ""); err != nil {
		return nclprotocol.ExecutionFailed, err.Error()
	}
	output, err := s.files.Create(order.ExecutionID)
	if err != nil {
		return nclprotocol.ExecutionFailed, err.Error()
	}
	defer func() { _ = output.Close() }()
	_, _ = fmt.Fprintln(output.Stdout(), "good night")
	select {
	case <-ctx.Done():
		return nclprotocol.ExecutionCancelled, "woken"
	case <-time.After(order.Duration.Duration()):
	}
	_, _ = fmt.Fprintln(output.Stdout(), "good morning")
	return nclprotocol.ExecutionCompleted, ""
}

// resume takes up what the program before has left: what waited runs, and what had begun has failed.
func (s *sleeper) resume(ctx context.Context) error {
	orders, states := map[string]nclprotocol.RunExecution{}, map[string]nclprotocol.ExecutionState{}
	for page := (watcher.GetEventsRequest{}); ; {
		events, err := s.ledger.GetEvents(ctx, page)
		if err != nil {
			return err
		}
		if len(events) == 0 {
			break
		}
		for _, e := range events {
			change, order, err := read(e)
			if err != nil {
				return err
			}
			if order != nil {
				orders[change.ExecutionID] = *order
			}
			states[change.ExecutionID], page.AfterSeqNum = change.State, e.SeqNum
		}
	}
	for executionID, state := range states {
		s.know(executionID, func() {})
		switch {
		case state == nclprotocol.ExecutionQueued:
			s.begin(orders[executionID])
		case !state.Final():
			if err := s.tell(ctx, executionID, nclprotocol.ExecutionFailed, "node restarted"); err != nil {
				return err
			}
		}
	}
	return nil
}

// CreateMessage is what the scheduler is told of an event in the ledger.
func (s *sleeper) CreateMessage(e watcher.Event) (*envelope.Message, error) {
	change, _, err := read(e)
	return &envelope.Message{Payload: change}, err
}

// read is what became of an execution, by an event in the ledger; one that holds the order itself says that it waits.
func read(e watcher.Event) (change nclprotocol.ExecutionChanged, order *nclprotocol.RunExecution, err error) {
	if e.ObjectType != nclprotocol.TypeRunExecution {
		return change, nil, json.Unmarshal(e.Object, &change)
	}
	if err := json.Unmarshal(e.Object, &order); err != nil {
		return change, nil, err
	}
	return nclprotocol.ExecutionChanged{
		ExecutionID: order.ExecutionID, WorkflowID: order.WorkflowID, BookingID: order.BookingID,
		State: nclprotocol.ExecutionQueued, At: e.Timestamp,
	}, order, nil
}

func (s *sleeper) tell(ctx context.Context, executionID string, state nclprotocol.ExecutionState, reason string) error {
	return s.note(ctx, nclprotocol.TypeExecutionChanged, nclprotocol.ExecutionChanged{
		ExecutionID: executionID, State: state, At: time.Now().UTC(), Reason: reason,
	})
}

func (s *sleeper) note(ctx context.Context, kind string, object any) error {
	_, err := s.ledger.StoreEvent(ctx, watcher.StoreEventRequest{
		Operation: watcher.OperationUpdate, ObjectType: kind, Object: object,
	})
	return err
}

func (s *sleeper) know(executionID string, end context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ends[executionID] = end
}

func (s *sleeper) end(executionID string) context.CancelFunc {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ends[executionID]
}

// connection is the node's, to the scheduler behind a NATS server.
func (s *sleeper) connection(url string) (*compute.ConnectionManager, error) {
	registry := envelope.NewRegistry()
	if err := nclprotocol.RegisterExecution(registry); err != nil {
		return nil, err
	}
	return compute.NewConnectionManager(compute.Config{
		NodeID:                  "north-1",
		ClientFactory:           nclprotocol.Client{URL: url, NodeID: "north-1"},
		NodeInfoProvider:        s,
		OfferProvider:           s,
		MessageRegistry:         registry,
		DataPlaneMessageHandler: s,
		DataPlaneMessageCreator: s,
		EventStore:              s.ledger,
		LogStreamServer:         s.files,
	})
}

// A whole node, from the handshake to a completed execution. It may start before NATS and the scheduler do.
func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	scheduler := startScheduler(ctx) // elsewhere: oc-scheduler serve
	defer scheduler.stop()

	dir, err := os.MkdirTemp("", "sleeper")
	must(err)
	defer func() { _ = os.RemoveAll(dir) }()
	ledger, err := watcher.OpenBolt(filepath.Join(dir, "ledger.db"))
	must(err)
	files, err := logstream.NewFiles(filepath.Join(dir, "output"), logstream.FilesConfig{})
	must(err)
	node := &sleeper{ledger: ledger, files: files, ends: map[string]context.CancelFunc{}}
	must(node.tell(ctx, "nap-0", nclprotocol.ExecutionRunning, "")) // as the program before left it

	must(node.resume(ctx))
	connection, err := node.connection(scheduler.url)
	must(err) // names every fault of the configuration
	must(connection.Start(ctx))

	fmt.Println(scheduler.offered(ctx, "north-1"))
	fmt.Println(scheduler.ended(ctx, "nap-0"))
	scheduler.run(ctx, "north-1", "nap-1", time.Millisecond)
	fmt.Println(scheduler.ended(ctx, "nap-1"))
	fmt.Print(scheduler.output(ctx, "north-1", "nap-1"))

	err = connection.Close(ctx) // says goodbye; no order comes after it
	node.work.Wait()            // what the program does not wait for has failed by its next start
	must(errors.Join(err, ledger.Close(ctx)))
	// Output:
	// [{hall h1}]
	// nap-0: failed, node restarted
	// nap-1: completed
	// good night
	// good morning
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
