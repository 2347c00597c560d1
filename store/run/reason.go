package run

import (
	"fmt"
	"strings"
)

// Word begins a reason: what happened, for programs. A reason is "<word>: <sentence>".
type Word string

// The words.
const (
	StepFailed   Word = "step failed"
	OutOfTime    Word = "out of time" // the booking ended before the step did
	NodeLost     Word = "node lost"
	NoNode       Word = "no node" // nobody offers what was booked
	Refused      Word = "refused" // by the node, in its words
	ByRequest    Word = "cancelled"
	Displaced    Word = "displaced" // by a booking that may do so
	NotStarted   Word = "not started in time"
	WindowIsOver Word = "window over"
)

// because is a reason.
func (w Word) because(format string, args ...any) string {
	return string(w) + ": " + fmt.Sprintf(format, args...)
}

// WordOf is the word of a reason, and its sentence; empty when there is none.
func WordOf(reason string) (Word, string) {
	word, sentence, _ := strings.Cut(reason, ": ")
	return Word(word), sentence
}
