package nclprotocol

import "time"

// Limits of a handshake: the scheduler refuses others.
const (
	// MinSilence and MaxSilence bound HeartbeatInterval × HeartbeatMissFactor.
	MinSilence = time.Second
	MaxSilence = 24 * time.Hour
	// MaxMissFactor is the highest HeartbeatMissFactor; 1 is the lowest.
	MaxMissFactor = 1000
)
