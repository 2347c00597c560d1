package carry_test

import (
	"context"
	"errors"
	"io"
	"strconv"
	"sync/atomic"
	"testing"

	"oc-scheduler/httpapi/carry"
	"oc-scheduler/internal/natstest"
)

// waiting is what a pump is given: it counts up to a number, and then ends, or waits.
type waiting struct {
	calls atomic.Int32
	upTo  int32
	cause error // nil: it waits
}

func (w *waiting) next(ctx context.Context) (carry.Frame, error) {
	n := w.calls.Add(1)
	switch {
	case n <= w.upTo:
		return data(strconv.Itoa(int(n)) + "\n"), nil
	case w.cause == nil:
		<-ctx.Done()
		return carry.Frame{}, ctx.Err()
	}
	return carry.Frame{}, w.cause
}

// pumped is a source that a site can carry.
type pumped struct{ carry.Source }

func (pumped) Take([]byte) error { return nil }

func TestPumpedFramesComeInOrderAndThenTheEnd(t *testing.T) {
	t.Parallel()
	w := &waiting{upTo: 1000, cause: carry.Done}
	var s *site
	s = newSite(t, carry.Config{}, func(string) carry.Conversation { return pumped{s.Pump(t.Context(), w.next)} })
	r := s.get(t, "/text").body
	for n := range 1000 {
		lines(t, r, strconv.Itoa(n+1)+"\n")
	}
	if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
		t.Errorf("the end is %q, %v", rest, err)
	}
}

func TestAPumpIsNotAheadOfItsClient(t *testing.T) {
	t.Parallel()
	w := &waiting{upTo: 1000}
	p := newSite(t, carry.Config{}, nil).Pump(t.Context(), w.next)
	wakes := make(chan struct{}, 1000)
	p.OnWake(func() { wakes <- struct{}{} })
	for n := range int32(5) {
		natstest.Eventually(t, "it is two ahead", func() bool { return w.calls.Load() == n+2 })
		<-wakes
		if f, ok, err := p.Poll(); !ok || err != nil || string(f.Data) != strconv.Itoa(int(n)+1)+"\n" {
			t.Errorf("frame %d is %q, %t, %v", n, f.Data, ok, err)
		}
	}
	p.Close() // while it waits for room
	if n := w.calls.Load(); n > 7 {
		t.Errorf("asked %d times for 5 frames", n)
	}
}

func TestThePumpedStreamFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		next func(context.Context) (carry.Frame, error)
		want error
	}{
		"an error": {(&waiting{cause: broken}).next, broken},
		"a panic":  {func(context.Context) (carry.Frame, error) { panic("no such luck") }, carry.Fault},
	} {
		p := newSite(t, carry.Config{}, nil).Pump(t.Context(), c.next)
		wakes := make(chan struct{}, 10)
		p.OnWake(func() { wakes <- struct{}{} })
		var err error
		for err == nil {
			<-wakes
			_, _, err = p.Poll()
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		p.Close()
	}
}

func TestClosingAPumpEndsWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	w := &waiting{}
	p := newSite(t, carry.Config{}, nil).Pump(t.Context(), w.next)
	p.OnWake(func() {})
	natstest.Eventually(t, "it waits", func() bool { return w.calls.Load() == 1 })
	p.Close()                                                         // goleak sees what is left
	newSite(t, carry.Config{}, nil).Pump(t.Context(), w.next).Close() // one that was never polled
}
