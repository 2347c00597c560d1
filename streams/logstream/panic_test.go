package logstream_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/logstream"
)

// rash is a server that panics when it is asked, or has one do so that is read.
type rash struct{ out func() }

func (r rash) OpenLog(context.Context, logstream.Request) (logstream.Reader, error) {
	if r.out != nil {
		r.out()
	}
	return nil, nil // which is read all the same
}

// TestAPanicOfTheServerEndsOneStream, and not the node.
func TestAPanicOfTheServerEndsOneStream(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	for name, out := range map[string]func(){
		"when it is asked": func() { panic("a secret") }, "when it is read": nil, "or ends its goroutine": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			listen(t, logstream.ListenerConfig{Conn: s.Connect(t), Server: rash{out}, MaxStreams: 1})
			for range 2 {
				natstest.Eventually(t, "a panic is told, and gives back its place", func() bool {
					reader, err := over(s.Connect(t)).OpenLog(t.Context(), logstream.Request{ExecutionID: "ex"})
					if err == nil {
						_, err = next(t, reader)
						_ = reader.Close()
					}
					return isRefused(err) && strings.Contains(err.Error(), "the server of logs panicked") && !strings.Contains(err.Error(), "secret")
				})
			}
		})
	}
}
