package nclprotocol

import (
	"time"

	"oc-scheduler/store/offer"
)

// Limits of a handshake: the scheduler refuses others.
const (
	// MinSilence and MaxSilence bound HeartbeatInterval × HeartbeatMissFactor.
	MinSilence = time.Second
	MaxSilence = 24 * time.Hour
	// MaxMissFactor is the highest HeartbeatMissFactor; 1 is the lowest.
	MaxMissFactor = 1000
)

const (
	// MaxOffer is the longest offer, in bytes of JSON without blanks. The max_payload of NATS may hold less.
	MaxOffer = offer.MaxBytes
	// MaxControl is the longest frame of a control message, in bytes.
	MaxControl = MaxOffer + 64<<10
)
