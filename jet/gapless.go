package jet

import (
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
)

// ErrGap says that a delivery of the consumer was lost, or went to somebody else.
var ErrGap = errors.New("a message is missing")

// Gapless hands on what one reading of a new consumer brings, each with its place in the stream. It fails with
// ErrGap when a delivery is missing, which the numbers tell that the consumer gives them.
func Gapless(receive func(*nats.Msg, *nats.MsgMetadata) error) func(*nats.Msg) error {
	due := uint64(1)
	return func(m *nats.Msg) error {
		md, err := m.Metadata()
		if err != nil {
			return fmt.Errorf("unreadable delivery: %w", err)
		}
		if md.Sequence.Consumer != due {
			return fmt.Errorf("%w: delivery %d came, %d was due", ErrGap, md.Sequence.Consumer, due)
		}
		due++
		return receive(m, md)
	}
}
