package jet

import (
	"testing"

	"github.com/nats-io/nats.go"
)

func TestWordsOfTheServer(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		subject, code, description string
		pending                    int
		ends                       bool // the session
		idle                       bool
	}{
		"heartbeat":       {"inbox.2", "100", "Idle Heartbeat", 5, false, true},
		"expired":         {"inbox.2", "408", "Request Timeout", 0, false, true},
		"full":            {"inbox.2", "409", "Message Size Exceeds MaxBytes", 0, false, false},
		"done":            {"inbox.2", "409", "Batch Completed", 0, false, false},
		"late word":       {"inbox.1", "409", "Batch Completed", 5, false, false},
		"deleted":         {"inbox.2", "409", "Consumer Deleted", 5, true, false},
		"leader moved":    {"inbox.2", "409", "Leadership Change", 5, true, false},
		"nobody there":    {"inbox.2", "503", "", 5, true, false},
		"never heard of":  {"inbox.2", "777", "Novelty", 5, true, false},
		"without a word":  {"inbox.2", "", "", 5, true, false},
		"late, and grave": {"inbox.1", "409", "Consumer Deleted", 5, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := nats.NewMsg(tc.subject)
			m.Header.Set("Status", tc.code)
			m.Header.Set("Description", tc.description)
			idle := false
			s := &session{Reader: Reader{Idle: func() { idle = true }}, reply: "inbox.2", pending: 5}
			if err := s.status(m); (err != nil) != tc.ends || s.pending != tc.pending || idle != tc.idle {
				t.Errorf("pending %d, idle %v, error %v", s.pending, idle, err)
			}
		})
	}
}
