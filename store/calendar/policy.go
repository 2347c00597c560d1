package calendar

import (
	"errors"
	"fmt"
)

// Gap says what becomes of a local time that the clocks skip.
type Gap string

// Ambiguity says what becomes of a local time that the clocks show twice.
type Ambiguity string

// What becomes of a local time that the clocks skip.
const (
	Shift Gap = "shift" // it moves to the first instant after the gap
	Skip  Gap = "skip"  // it is left out
)

// What becomes of a local time that the clocks show twice.
const (
	First Ambiguity = "first" // when it is shown first
	Last  Ambiguity = "last"  // when it is shown again
	Both  Ambiguity = "both"  // each time: two occurrences
)

// ErrPolicy is wrapped by the errors of ParseGap and ParseAmbiguity.
var ErrPolicy = errors.New("no such policy")

// ParseGap reads a word; none is Shift.
func ParseGap(word string) (Gap, error) {
	switch g := Gap(word); g {
	case "":
		return Shift, nil
	case Shift, Skip:
		return g, nil
	}
	return "", fmt.Errorf("%w: shift and skip are possible, not %q", ErrPolicy, shorten(word))
}

// ParseAmbiguity reads a word; none is First.
func ParseAmbiguity(word string) (Ambiguity, error) {
	switch a := Ambiguity(word); a {
	case "":
		return First, nil
	case First, Last, Both:
		return a, nil
	}
	return "", fmt.Errorf("%w: first, last and both are possible, not %q", ErrPolicy, shorten(word))
}
