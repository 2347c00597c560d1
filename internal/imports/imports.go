// Package imports makes workflows and planners of what others have recorded. It is pure.
package imports

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Limits of what is read, far above what is known.
const (
	maxTasks = 100_000
	maxJobs  = 10_000_000
)

// Left is what an import has left out: how often, by what.
type Left map[string]int

func (l Left) add(n int, what string) {
	if n > 0 {
		l[what] += n
	}
}

// String lists it, "nothing" when that is so.
func (l Left) String() string {
	if len(l) == 0 {
		return "nothing"
	}
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(l)) {
		parts = append(parts, fmt.Sprintf("%s (%d)", what, l[what]))
	}
	return strings.Join(parts, ", ")
}
