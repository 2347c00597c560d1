package carry_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"oc-scheduler/httpapi/carry"
	"oc-scheduler/internal/natstest"
)

// feed is a source that says what a test has it say.
type feed struct {
	mu     sync.Mutex
	wake   func()
	frames []carry.Frame
	end    error
	heard  []string
	closed atomic.Int32
}

// say has frames carried.
func (f *feed) say(frames ...carry.Frame) *feed {
	f.post(func() { f.frames = append(f.frames, frames...) })
	return f
}

// over ends the stream after what was said.
func (f *feed) over(cause error) *feed {
	f.post(func() { f.end = cause })
	return f
}

func (f *feed) post(what func()) {
	f.mu.Lock()
	what()
	wake := f.wake
	f.mu.Unlock()
	if wake != nil {
		wake()
	}
}

func (f *feed) OnWake(wake func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wake = wake
}

func (f *feed) Poll() (carry.Frame, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.frames) == 0 {
		return carry.Frame{}, false, f.end
	}
	frame := f.frames[0]
	f.frames = f.frames[1:]
	if f.wake(); string(frame.Data) == "panic" {
		panic("no such luck")
	}
	return frame, true, nil
}

func (f *feed) Take(message []byte) error {
	f.post(func() { f.heard = append(f.heard, string(message)) })
	if string(message) == "stop" {
		return errSilent
	}
	return nil
}

func (f *feed) Close() { f.closed.Add(1) }

// isClosed waits until the source was closed, and holds it to have been so once.
func (f *feed) isClosed(t *testing.T) {
	t.Helper()
	natstest.Eventually(t, "the source is closed", func() bool { return f.closed.Load() > 0 })
	if n := f.closed.Load(); n != 1 {
		t.Errorf("closed %d times", n)
	}
}

func data(text string) carry.Frame { return carry.Frame{Data: []byte(text)} }

// always is a site's only source.
func always(s carry.Conversation) func(string) carry.Conversation {
	return func(string) carry.Conversation { return s }
}
