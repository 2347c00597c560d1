package compute

import (
	"context"
	"time"
)

// Close says goodbye to the scheduler, takes the connection down for good, and waits until nothing of
// it runs, state handlers included; but it does not wait for a handler that runs when Close is called,
// for that may be who calls it. It may be called at any time, more than once and without Start.
//
// When half of ctx's time has gone, courtesy ends: what still waits for an answer is given up. Close
// fails with ctx's error when even that took too long, or with what went wrong with the taking down;
// what ctx cuts short goes on to end by itself.
func (cm *ConnectionManager) Close(ctx context.Context) error {
	cm.mu.Lock()
	cm.closed = true
	end, abort := cm.end, cm.abort
	cm.mu.Unlock()
	if end == nil {
		return nil
	}
	running := cm.states.running() // asked before anything more can be told
	end()
	stop := afterHalf(ctx, abort)
	defer stop()
	select {
	case <-cm.done:
		abort() // nothing is left to end; it frees what belongs to the context
	case <-ctx.Done():
		abort()
		return ctx.Err()
	}
	if err := cm.states.wait(ctx, running); err != nil {
		return err
	}
	return cm.result
}

// afterHalf calls f when half of ctx's time has gone. That is real time, as every deadline of a caller.
func afterHalf(ctx context.Context, f func()) (stop func() bool) {
	deadline, bounded := ctx.Deadline()
	if !bounded {
		return func() bool { return true }
	}
	return time.AfterFunc(time.Until(deadline)/2, f).Stop
}
