//go:build long

package main

import (
	"time"

	"github.com/anishathalye/porcupine"
)

// What is done to a window, of which one has all.
type (
	bookIt   struct{ window int }
	holdIt   struct{ window int }
	giveBack struct {
		window int
		id     string
	} // Cancel or ReleaseHold
	confirmIt struct {
		window int
		id     string
	}

	said struct {
		unknown bool   // it may have happened, now or later
		id      string // of what was made; "": it was refused
		until   int64  // of a hold
		call    int64
		back    int64
	}
)

// owned is who has a window.
type owned struct {
	id    string // "": nobody
	until int64  // 0: it does not end by itself; ended: it may have, nobody knows when
}

const ended = -1

// inexact is how much the clocks of two replicas may differ.
const inexact = int64(200 * time.Millisecond)

func windowOf(input any) int {
	switch in := input.(type) {
	case bookIt:
		return in.window
	case holdIt:
		return in.window
	case giveBack:
		return in.window
	}
	return input.(confirmIt).window
}

// bookingModel is what a window has to look like to everybody. What is made without an answer has no id that anybody
// knows: it stays.
var bookingModel = porcupine.NondeterministicModel{
	Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
		byWindow := map[int][]porcupine.Operation{}
		for _, op := range history {
			byWindow[windowOf(op.Input)] = append(byWindow[windowOf(op.Input)], op)
		}
		for _, part := range byWindow {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() []any { return []any{owned{}} },
	Step: func(state, input, output any) []any {
		has, out := state.(owned), output.(said)
		free := has.id == "" || has.until == ended || has.until > 0 && out.back >= has.until-inexact
		taken := has.id != "" && (has.until <= 0 || out.call <= has.until+inexact)
		var next []any
		switch in := input.(type) {
		case bookIt, holdIt:
			switch {
			case out.unknown && free:
				next = append(next, has, unknown(input))
			case out.unknown:
				next = append(next, has)
			case out.id != "" && free:
				next = append(next, owned{out.id, out.until})
			case out.id == "" && taken:
				next = append(next, has)
			}
		case giveBack:
			if has.id == in.id && (in.id[0] == 's' || has.until > 0) {
				next = append(next, owned{})
			} else {
				next = append(next, has)
			}
			if out.unknown {
				next = append(next, has)
			}
		case confirmIt:
			mine := has.id == in.id
			if out.unknown {
				next = append(next, has)
			}
			if (out.unknown || out.id != "") && mine && taken {
				next = append(next, confirmed(out))
			}
			if !out.unknown && out.id == "" && (!mine || free) {
				next = append(next, has)
			}
		}
		return next
	},
}

// unknown is who has a window when nobody knows whether he does: a hold that was made so ends by itself.
func unknown(input any) owned {
	if _, hold := input.(holdIt); hold {
		return owned{id: "unknown", until: ended}
	}
	return owned{id: "unknown"}
}

// confirmed is who has a window after a confirmation.
func confirmed(out said) owned {
	if out.unknown {
		return owned{id: "unknown"}
	}
	return owned{id: out.id}
}
