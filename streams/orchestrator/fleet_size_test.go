//go:build !soak

package orchestrator_test

import "time"

const (
	fleetEvents  = 20_000
	fleetTurmoil = 10 * time.Second
)
