package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/workflow"
)

// behind is a replica whose views stand still, and another way into the buckets.
type behind struct {
	*site
	other *store.Store
	catch func() // lets the views catch up; more than once is harmless
	read  chan string
}

// newBehind has the views of workflows and nodes stand still, and tells on read when the bucket of
// workflows was asked.
func newBehind(t *testing.T) *behind {
	t.Helper()
	b := &behind{site: newSite(t, defaults), read: make(chan string, 100)}
	still := make(chan struct{})
	b.catch = sync.OnceFunc(func() { close(still) })
	t.Cleanup(b.catch)
	var stands sync.WaitGroup
	stands.Add(2)
	stand := func(id string) {
		if id == "still" {
			stands.Done()
			<-still
		}
	}
	b.parts.Workflows.OnChange(stand)
	b.parts.Nodes.OnChange(stand)
	b.parts.StoredWorkflows = tellingWorkflows{b.parts.StoredWorkflows, b.read}
	b.Attach(b.parts)
	var err error
	if b.other, err = store.Open(t.Context(), b.nats.JetStream(t), store.Config{}, slog.New(slog.DiscardHandler), nil); err != nil {
		t.Fatal(err)
	}
	b.write(t, "still")
	stands.Wait()
	return b
}

// write stores a workflow and a node of that id.
func (b *behind) write(t *testing.T, id string) {
	t.Helper()
	raw := []byte(sampleWorkflow(id, 8))
	w, err := workflow.Decode(raw)
	if err == nil {
		_, _, _, err = b.other.Workflows.Put(t.Context(), w.ID(), raw, store.Author{Subject: access.Anonymous, Keep: true}, store.Condition{})
	}
	if err == nil {
		_, err = b.other.Nodes.Change(t.Context(), id, func(*store.NodeRecord) (*store.NodeRecord, error) {
			return &store.NodeRecord{NodeID: id, Standing: store.Standing{Membership: store.Approved, State: store.NodeNew}, Connection: store.Connection{Info: json.RawMessage(`{"node_id":"n"}`)}}, nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

type tellingWorkflows struct {
	stored interface {
		Get(ctx context.Context, workflowID string) (kv.Entry[store.WorkflowRecord], error)
	}
	read chan<- string
}

func (s tellingWorkflows) Get(ctx context.Context, workflowID string) (kv.Entry[store.WorkflowRecord], error) {
	e, err := s.stored.Get(ctx, workflowID)
	s.read <- workflowID
	return e, err
}

// TestWhatAnotherReplicaHasJustWrittenIsKnown: a 404 is only said after the bucket was asked.
func TestWhatAnotherReplicaHasJustWrittenIsKnown(t *testing.T) {
	t.Parallel()
	b := newBehind(t)
	b.write(t, "w")
	got := b.do(t, http.MethodGet, "/oc/w", "").ok(t, http.StatusOK)
	if string(got.body) != sampleWorkflow("w", 8) || got.header.Get("ETag") == "" || got.header.Get("Age") != "" {
		t.Errorf("GET gives %s, %v", got.body, got.header)
	}
	b.do(t, http.MethodGet, "/nodes/w", "").ok(t, http.StatusOK)
	b.do(t, http.MethodPost, "/oc/none/check", asked).problem(t, http.StatusNotFound)
	b.do(t, http.MethodGet, "/oc/none", "").problem(t, http.StatusNotFound)
	b.do(t, http.MethodGet, "/nodes/none", "").problem(t, http.StatusNotFound)
	b.do(t, http.MethodGet, "/executions/none", "").problem(t, http.StatusNotFound)
	if late := b.do(t, http.MethodPost, "/oc/w/check", asked); late.header.Get("Retry-After") == "" {
		t.Errorf("a replica that stays behind says no more than %d", late.status)
	} else {
		late.problem(t, http.StatusServiceUnavailable)
	}
}

// TestAWorkflowThatIsNotYetShownIsChecked by each carrier, as soon as the view has caught up.
func TestAWorkflowThatIsNotYetShownIsChecked(t *testing.T) {
	t.Parallel()
	for name, check := range map[string]func(*testing.T, *behind){
		"body": func(t *testing.T, b *behind) {
			t.Helper()
			b.do(t, http.MethodPost, "/oc/w/check", asked).ok(t, http.StatusOK)
		},
		"query": func(t *testing.T, b *behind) {
			t.Helper()
			b.do(t, http.MethodGet, "/oc/w/check"+inDecember, "").ok(t, http.StatusOK)
		},
		"wait": func(t *testing.T, b *behind) {
			t.Helper()
			b.do(t, http.MethodPost, "/oc/w/check?wait=1ms", asked).ok(t, http.StatusOK)
		},
		"websocket": func(t *testing.T, b *behind) {
			t.Helper()
			conn := b.dial(t, "/oc/w/check"+inDecember, nil)
			if r := receive(t, conn); r["type"] != "result" {
				t.Errorf("%v", r)
			}
			_ = conn.Close(websocket.StatusNormalClosure, "")
		},
		"events": func(t *testing.T, b *behind) {
			t.Helper()
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+"/oc/w/check"+inDecember, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Accept", "text/event-stream")
			resp, err := b.client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != http.StatusOK {
				t.Errorf("status %d", resp.StatusCode)
			}
			_ = resp.Body.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBehind(t)
			b.write(t, "w")
			go func() {
				<-b.read
				b.catch()
			}()
			check(t, b)
		})
	}
}

// TestWithoutNATSTheViewsWordCounts, with its age.
func TestWithoutNATSTheViewsWordCounts(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	s.nats.Stop()
	natstest.Eventually(t, "the views are old", func() bool {
		return s.parts.Workflows.Age() > 0 && s.parts.Plan.Age() > 0 && s.parts.Nodes.Age() > 0 && s.parts.Executions.Age() > 0
	})
	for _, path := range []string{"/oc/none", "/oc/none/check" + inDecember, "/nodes/none", "/executions/none"} {
		s.do(t, http.MethodGet, path, "").problem(t, http.StatusNotFound)
		if age := s.do(t, http.MethodGet, path, "").header.Get("Age"); age == "" {
			t.Errorf("%s: no age", path)
		}
	}
	s.do(t, http.MethodPost, "/oc/w/check", asked).ok(t, http.StatusOK)
}

// counting counts how often a bucket is asked.
type counting struct{ n atomic.Int64 }

func (c *counting) Get(context.Context, string) (execution.Execution, error) {
	c.n.Add(1)
	return execution.Execution{}, kv.ErrNotFound
}

// TestUnknownIDsCostLittle however many are asked for.
func TestUnknownIDsCostLittle(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	reads := &counting{}
	s.parts.StoredExecutions = reads
	s.Attach(s.parts)
	const clientsAtOnce = 20
	began := time.Now()
	var clients sync.WaitGroup
	for client := range clientsAtOnce {
		clients.Go(func() {
			for n := range 50 {
				resp, err := s.client.Get(fmt.Sprintf("%s/executions/x%d-%d", s.url, client, n))
				if err != nil {
					t.Error(err)
					continue
				}
				if _ = resp.Body.Close(); resp.StatusCode != http.StatusNotFound {
					t.Errorf("status %d", resp.StatusCode)
				}
			}
		})
	}
	clients.Wait()
	const rate = 200 // a second, and as many in a row
	// The limiter takes the time from its callers: each of those that come at once may bring one that is a little older
	// than the last, which counts anew.
	if most := rate + int64(rate*time.Since(began).Seconds()) + clientsAtOnce; reads.n.Load() > most {
		t.Errorf("the bucket was asked %d times in %v, at most %d are expected", reads.n.Load(), time.Since(began), most)
	}
}
