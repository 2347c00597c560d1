package natsd

import (
	"context"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	// lookEvery is how often the store is tried.
	lookEvery = time.Second
	// steady is how long a server has to run for the next failure to count as another one.
	steady = time.Minute
)

// keep stops the server when its store can't be written, and starts it when it can, until ctx ends.
func (s *Server) keep(ctx context.Context) {
	pause := &backoff.ExponentialBackOff{
		InitialInterval: 250 * time.Millisecond, MaxInterval: 10 * time.Second, Multiplier: 2, RandomizationFactor: 0.5,
	}
	pause.Reset()
	for {
		if s.run == nil && s.restart(ctx, pause) != nil {
			return
		}
		began := time.Now()
		cause := s.watch(ctx)
		if cause == nil {
			return
		}
		if time.Since(began) > steady {
			pause.Reset()
		}
		s.halt(ctx, cause)
	}
}

// watch returns why the server has to stop, or nil when ctx ends.
func (s *Server) watch(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-s.run.log.ailing:
		}
		if err := s.store.check(); err != nil {
			return err
		}
		if err := s.run.ails(); err != nil {
			return err
		}
	}
}

// restart starts the server, as often as that takes. It fails when ctx ends.
func (s *Server) restart(ctx context.Context, pause backoff.BackOff) error {
	for {
		wait := time.NewTimer(pause.NextBackOff())
		select {
		case <-ctx.Done():
			wait.Stop()
			return ctx.Err()
		case <-wait.C:
		}
		err := s.begin(ctx)
		if err == nil {
			s.log.InfoContext(ctx, "the embedded NATS server runs again", "data_dir", s.store.path)
			return nil
		}
		s.tell(ctx, err)
	}
}

// begin starts the server on its store, which is made when it is missing.
func (s *Server) begin(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			s.store.release()
		}
	}()
	if err := s.store.claim(); err != nil {
		return err
	}
	r, err := launch(ctx, s.opts, s.log)
	if err != nil {
		if cause := s.store.check(); cause != nil { // which is why, in better words
			return cause
		}
		return err
	}
	if err := s.store.remember(r.nats.StoreDir()); err != nil {
		r.end()
		return err
	}
	if !s.opts.DontListen {
		s.listens(r.nats.Addr())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run, s.reason = r, nil
	return nil
}

// halt stops the server: whoever publishes shall see that nothing is stored.
func (s *Server) halt(ctx context.Context, cause error) {
	r := s.take(cause)
	s.tell(ctx, cause)
	if r != nil {
		r.end()
	}
	s.store.release()
}

func (s *Server) take(reason error) *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.run
	s.run, s.reason = nil, reason
	return r
}

// tell notes why the server is stopped, and logs it when that is news.
func (s *Server) tell(ctx context.Context, cause error) {
	reason := fmt.Errorf("the embedded NATS server is stopped, and starts again by itself: %w", cause)
	s.mu.Lock()
	news := s.reason == nil || s.reason.Error() != reason.Error()
	s.reason = reason
	s.mu.Unlock()
	if news {
		s.log.ErrorContext(ctx, reason.Error())
	}
}

func (s *Server) end() {
	if r := s.take(errEnded); r != nil {
		r.end()
	}
	s.store.release()
}
