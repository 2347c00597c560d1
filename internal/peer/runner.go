package peer

import (
	"context"
	"log/slog"
	"sync"

	"golang.org/x/sync/errgroup"

	"oc-scheduler/internal/peer/execute"
	"oc-scheduler/internal/peer/ledger"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/nclprotocol"
)

// runner runs executions, a few at a time, the others wait in the order in which they came.
type runner struct {
	ledger   *ledger.Ledger
	files    *logstream.Files
	executor execute.Executor
	log      *slog.Logger
	workers  int
	queue    chan string // ids of executions

	mu      sync.Mutex
	cancels map[string]context.CancelCauseFunc // of those that are here; nil: it waits
	running int
}

// newRunner makes a runner with the executions that have waited since before a restart.
func newRunner(cfg execute.Config, l *ledger.Ledger, files *logstream.Files, executor execute.Executor, waiting []nclprotocol.RunExecution, log *slog.Logger) *runner {
	r := &runner{
		ledger: l, files: files, executor: executor, log: log, workers: cfg.MaxConcurrent,
		queue:   make(chan string, max(cfg.MaxQueued, len(waiting))),
		cancels: map[string]context.CancelCauseFunc{},
	}
	for _, order := range waiting {
		r.submit(order.ExecutionID)
	}
	return r
}

// submit has an execution wait for its turn, unless it is here already. It is false when too many wait.
func (r *runner) submit(executionID string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, here := r.cancels[executionID]; here {
		return true
	}
	select {
	case r.queue <- executionID:
		r.cancels[executionID] = nil
		return true
	default:
		return false
	}
}

// cancel ends an execution that runs. Of one that waits the ledger knows that it is cancelled.
func (r *runner) cancel(executionID string, cause error) {
	r.mu.Lock()
	cancel := r.cancels[executionID]
	r.mu.Unlock()
	if cancel != nil {
		cancel(cause)
	}
}

// load is how many more may run at once, and how many wait.
func (r *runner) load() (free, queued int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.workers - r.running, len(r.queue)
}

// here is how many run, and how many wait.
func (r *runner) here() (running, queued int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running, len(r.queue)
}

// Run runs executions until ctx ends, and then ends those that run.
func (r *runner) Run(ctx context.Context) error {
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	defer context.AfterFunc(ctx, func() { stop(errStopped) })()
	disk, over := outlive(ctx, recordAtEnd)
	defer over()
	var g errgroup.Group
	for range r.workers {
		g.Go(func() error { return r.work(work, disk) })
	}
	return g.Wait()
}

// work is one of the workers. What waits when ctx ends waits for the next start of the node.
func (r *runner) work(ctx, disk context.Context) error {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case executionID := <-r.queue:
			if ctx.Err() == nil { // else both were there to choose from
				r.turn(ctx, disk, executionID)
			}
		}
	}
	return nil
}

func (r *runner) turn(ctx, disk context.Context, executionID string) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.mu.Lock()
	r.cancels[executionID] = cancel
	r.running++
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.cancels, executionID)
		r.running--
		r.mu.Unlock()
	}()
	if x, _ := r.ledger.Execution(executionID); x.Order != nil {
		r.execute(ctx, disk, *x.Order)
	}
}
