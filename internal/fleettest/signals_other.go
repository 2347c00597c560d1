//go:build !unix

package fleettest

import "os"

// There are none.
var pauseSignal, resumeSignal os.Signal
