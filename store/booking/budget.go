package booking

import (
	"fmt"

	"oc-scheduler/store/fault"
)

// A hostile pair of workflow and planners must cost a second or two, not a replica. Each part of a
// check has so many steps; one is a look at one timeline or gap list, about 0.2 µs.
const (
	maxSteps     = 4_000_000
	maxConflicts = 10_000 // listed in one result
	maxWarnings  = 100    // in one result
)

// budget counts the steps of one part of a check down.
type budget int

// spend takes n steps; false when there are not so many left, now or before.
func (b *budget) spend(n int) bool {
	*b -= budget(n)
	return *b >= 0
}

// tooLarge is the fault of a workflow whose placement alone takes more steps than there are.
func tooLarge() error {
	return fault.List{{
		Path:    "$.graph.items",
		Message: fmt.Sprintf("too many items for as many instances: placing them takes more than %d steps", maxSteps),
	}}
}

// warnings are the lines of one result, as many as anybody reads.
type warnings []string

func (w *warnings) add(format string, args ...any) {
	switch {
	case len(*w) < maxWarnings:
		*w = append(*w, fmt.Sprintf(format, args...))
	case len(*w) == maxWarnings:
		*w = append(*w, "and more")
	}
}
