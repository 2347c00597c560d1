package events

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// delivery is one message that the consumer handed to this replica, until it is settled.
//
// It is acknowledged by hand because the client library takes a message without body and with a
// header named Status for a message of the server, and so would never hand it over.
type delivery struct {
	nc      *nats.Conn
	msg     *nats.Msg
	event   event
	err     error // why there is no event
	arrival Arrival
	attempt uint64 // 1 for the first delivery
	taken   atomic.Bool
}

// take makes the delivery the caller's to settle; one caller gets true.
func (d *delivery) take() bool { return d.taken.CompareAndSwap(false, true) }

// newDelivery reads the place of the message in the stream from its reply subject.
func newDelivery(nc *nats.Conn, m *nats.Msg, busCreated time.Time) (*delivery, error) {
	meta, err := m.Metadata()
	if err != nil {
		return nil, err
	}
	return &delivery{
		nc:      nc,
		msg:     m,
		arrival: Arrival{Seq: meta.Sequence.Stream, Time: meta.Timestamp, Bus: busCreated, Again: meta.NumDelivered > 1},
		attempt: meta.NumDelivered,
	}, nil
}

// lane is what orders a delivery: its peer or workflow, else itself.
func (d *delivery) lane() string {
	switch {
	case d.event.id == "":
		return fmt.Sprint(d.arrival.Seq)
	case d.event.kind == plannerPublished, d.event.kind == plannerAsked:
		return "p" + d.event.id
	default:
		return "w" + d.event.id
	}
}

// size is what the delivery counts for in memory.
func (d *delivery) size() int { return len(d.msg.Data) }

const (
	firstDelay = 250 * time.Millisecond
	maxDelay   = 30 * time.Second
	awayDelay  = time.Second // whoever waits for the event shall not wait for long when the outage has ended
)

// retryDelay grows with the number of deliveries; its jitter keeps what failed together apart.
func retryDelay(attempt uint64, cause error) time.Duration {
	most := maxDelay
	if errors.Is(cause, ErrAway) {
		most = awayDelay
	}
	delay := min(firstDelay<<min(max(attempt, 1)-1, 10), most)
	return delay*4/5 + rand.N(delay*2/5)
}

// Answers to the server, by the protocol of JetStream.
func (d *delivery) ack() error        { return d.nc.Publish(d.msg.Reply, []byte("+ACK")) }
func (d *delivery) inProgress() error { return d.nc.Publish(d.msg.Reply, []byte("+WPI")) }

// giveBack asks for the message to be delivered again at once, to whoever has room.
func (d *delivery) giveBack() error { return d.nc.Publish(d.msg.Reply, []byte("-NAK")) }

// nak asks for the message again, after the delay, and waits until the server has understood: an
// answer on a connection that is just breaking would be lost without an error.
func (d *delivery) nak(ctx context.Context, delay time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := d.nc.RequestWithContext(ctx, d.msg.Reply, fmt.Appendf(nil, `-NAK {"delay": %d}`, delay.Nanoseconds()))
	return err
}
