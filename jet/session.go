package jet

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// session is one run of a Reader.
type session struct {
	Reader
	nc      *nats.Conn
	subject string // of requests
	inbox   string // begins the reply subjects of requests
	arrived chan *nats.Msg

	requests int    // made so far
	reply    string // of the last request: words of the server about earlier ones come late
	pending  int    // messages that it may still bring; 0 when it has ended
}

func (s *session) read(ctx context.Context, receive func(*nats.Msg) error) error {
	quiet := time.NewTimer(s.Silence)
	defer quiet.Stop()
	var freed <-chan struct{}
	if s.Gate != nil {
		freed = s.Gate.Freed()
	}
	for {
		if err := s.request(quiet); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.Lost:
			return errLost
		case <-freed: // there may be room for a request now
		case <-quiet.C:
			if s.pending > 0 && len(s.arrived) == 0 {
				return ErrSilent
			}
		case m := <-s.arrived:
			if err := s.take(m, receive); err != nil {
				return err
			}
			quiet.Reset(s.Silence) // only now: the time that receive took is not the server's silence
		}
	}
}

// request asks for messages when none are under way and there is room.
func (s *session) request(quiet *time.Timer) error {
	if s.pending > 0 {
		return nil
	}
	ask := s.Request
	if s.Gate != nil {
		ask.Batch = min(ask.Batch, s.Gate.Room())
	}
	if ask.Batch < 1 {
		return nil
	}
	body, err := json.Marshal(ask)
	if err != nil {
		return err
	}
	s.requests++
	s.reply = s.inbox + "." + strconv.Itoa(s.requests)
	s.pending = ask.Batch
	quiet.Reset(s.Silence)
	return s.nc.PublishRequest(s.subject, s.reply, body)
}

// isDelivery: those alone have a reply subject, by which they are acknowledged; no header tells.
func isDelivery(m *nats.Msg) bool { return strings.HasPrefix(m.Reply, "$JS.ACK.") }

func (s *session) take(m *nats.Msg, receive func(*nats.Msg) error) error {
	if !isDelivery(m) {
		return s.status(m)
	}
	s.pending--
	return receive(m)
}

// status reads a word of the server: a heartbeat, or the end of the request.
func (s *session) status(m *nats.Msg) error {
	if m.Subject != s.reply {
		return nil
	}
	switch code, reason := m.Header.Get("Status"), m.Header.Get("Description"); {
	case code == "100":
		s.idle()
		return nil
	case code == "404", code == "408": // nothing came in time
		s.idle()
	case code == "409" && (reason == "Message Size Exceeds MaxBytes" || reason == "Batch Completed"):
	default:
		return fmt.Errorf("%w: status %s %s", errEnded, code, reason)
	}
	s.pending = 0
	return nil
}

func (s *session) idle() {
	if s.Idle != nil {
		s.Idle()
	}
}

// finish is for what came too late for read: it is still ours, or another replica's when ctx has ended.
func (s *session) finish(ctx context.Context, receive func(*nats.Msg) error) {
	for {
		select {
		case m := <-s.arrived:
			switch {
			case !isDelivery(m):
			case ctx.Err() == nil:
				_ = receive(m) // the reading has ended already
			default:
				_ = s.nc.Publish(m.Reply, []byte("-NAK")) // else it comes back after AckWait
			}
		default:
			return
		}
	}
}
