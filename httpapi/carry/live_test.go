package carry

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// told is a stream in a register.
type told struct {
	ask func(cause error)
	end func()
}

func (s *told) stop(cause error) { s.ask(cause) }
func (s *told) cut()             { s.end() }

func TestDrainSpreadsTheClosing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const streams = 2000
		l := newLive()
		began := time.Now()
		ended := make(chan time.Duration, streams)
		for range streams {
			l.enter()
			l.add(&told{ask: func(cause error) {
				if !errors.Is(cause, Draining) {
					t.Errorf("cause is %v", cause)
				}
				ended <- time.Since(began)
				l.leave()
			}})
		}
		if err := l.drain(t.Context(), 4*time.Second); err != nil {
			t.Fatal(err)
		}
		close(ended)
		perSecond := map[int]int{}
		for at := range ended {
			perSecond[int(at/time.Second)]++
		}
		for second := range 4 {
			if n := perSecond[second]; n < streams/4-2 || n > streams/4+2 {
				t.Errorf("%d closings in second %d, want about %d", n, second, streams/4)
			}
		}
	})
}

func TestDrainOfOneStreamIsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLive()
		began := time.Now()
		l.enter()
		l.add(&told{ask: func(error) { l.leave() }})
		if err := l.drain(t.Context(), time.Minute); err != nil || time.Since(began) != 0 {
			t.Errorf("drained after %v: %v", time.Since(began), err)
		}
	})
}

func TestDrainCutsWhatDoesNotEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLive()
		var asked, cuts int
		for range 3 {
			l.enter()
			l.add(&told{func(error) { asked++ }, func() { cuts++ }})
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if err := l.drain(ctx, time.Second); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("err = %v", err)
		}
		if asked < 3 || cuts != 3 {
			t.Errorf("%d asked, %d cut", asked, cuts)
		}
	})
}

func TestDrainingRefusesLatecomers(t *testing.T) {
	t.Parallel()
	l := newLive()
	if err := l.drain(t.Context(), time.Second); err != nil {
		t.Fatal(err)
	}
	if l.enter() {
		t.Error("a stream enters")
	}
	if err := l.drain(t.Context(), time.Second); err != nil { // a second time
		t.Error(err)
	}
}

func TestDrainWaitsForAStreamThatWasAboutToOpen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLive()
		l.enter()
		drained := make(chan error)
		go func() { drained <- l.drain(t.Context(), time.Second) }()
		synctest.Wait() // the drain has begun
		remove := l.add(&told{ask: func(err error) {
			if !errors.Is(err, Draining) {
				t.Errorf("cause is %v", err)
			}
			l.leave()
		}})
		if err := <-drained; err != nil {
			t.Error(err)
		}
		remove()
	})
}
