//go:build soak

package orchestrator_test

import "time"

const (
	fleetEvents  = 100_000
	fleetTurmoil = 2 * time.Minute
)
