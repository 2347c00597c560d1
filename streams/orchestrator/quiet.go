package orchestrator

import (
	"time"

	"golang.org/x/time/rate"
)

// quietFor is how long something is not logged again that nodes may do a thousand times a second.
const quietFor = time.Minute

func quietly() rate.Sometimes { return rate.Sometimes{Interval: quietFor} }

// quiet bounds what is logged of events.
type quiet struct{ strangers, letters, unordered rate.Sometimes }

func newQuiet() quiet { return quiet{quietly(), quietly(), quietly()} }
