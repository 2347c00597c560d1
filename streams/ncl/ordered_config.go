package ncl

import (
	"errors"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/streams/envelope"
)

// Defaults of an OrderedPublisher.
const (
	DefaultMaxPending = 1024
	DefaultAckTimeout = 10 * time.Second
)

// OrderedPublisherConfig says how an OrderedPublisher works.
type OrderedPublisherConfig struct {
	Codec      envelope.Codec
	MaxPending int             // messages in flight; 0: DefaultMaxPending
	AckTimeout time.Duration   // how long a message may be in flight, longer than a leader election takes; 0: DefaultAckTimeout
	Clock      clockwork.Clock // nil: real
}

// Validate reports every fault.
func (c OrderedPublisherConfig) Validate() error {
	err := validateCodec(c.Codec)
	if c.MaxPending < 0 {
		err = errors.Join(err, fmt.Errorf("MaxPending %d is negative", c.MaxPending))
	}
	if c.AckTimeout < 0 {
		err = errors.Join(err, fmt.Errorf("AckTimeout %v is negative", c.AckTimeout))
	}
	return err
}

func (c *OrderedPublisherConfig) setDefaults() {
	if c.MaxPending == 0 {
		c.MaxPending = DefaultMaxPending
	}
	if c.AckTimeout == 0 {
		c.AckTimeout = DefaultAckTimeout
	}
	c.Clock = orReal(c.Clock)
}

func validateCodec(c envelope.Codec) error {
	var err error
	if c.Serializer == nil {
		err = errors.Join(err, errors.New("Codec.Serializer is missing"))
	}
	if c.Registry == nil {
		err = errors.Join(err, errors.New("Codec.Registry is missing"))
	}
	return err
}

func orReal(c clockwork.Clock) clockwork.Clock {
	if c == nil {
		return clockwork.NewRealClock()
	}
	return c
}
