package orchestrator

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"oc-scheduler/store"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/nclprotocol"
)

func sieveOf(t interface{ Fatal(...any) }, cursor store.Cursor, present string) *sieve {
	registry, err := registryOf()
	if err != nil {
		t.Fatal(err)
	}
	return &sieve{
		codec: envelope.Codec{Serializer: envelope.Serializer{}, Registry: registry}, cursor: cursor,
		ask: func() (ledgers, error) {
			return ledgers{[]store.FormerLedger{{Ledger: "old", Until: 10}, {Ledger: "older than new", Until: 20}}, present}, nil
		},
	}
}

func frameOf(t interface{ Fatal(...any) }, s *sieve, ledger string, sequence, previous uint64) []byte {
	frame, err := s.codec.Encode(&envelope.Message{
		Header:  envelope.Header{Source: ledger, Sequence: sequence, Previous: previous},
		Payload: nclprotocol.ExecutionChanged{ExecutionID: fmt.Sprint(sequence)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return frame
}

// TestSiftAgainstATwin: a node that sends its ledger any number of times, each time from the last event
// that it knows to be handled, or before it, while messages are lost; what passes is each event once, in order.
func TestSiftAgainstATwin(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const newest = 30
		sends := rapid.SliceOfN(rapid.Bool(), newest, newest).Draw(t, "events that are messages")
		s := sieveOf(t, store.Cursor{}, "l")
		var passed, want []uint64
		for i, sent := range sends {
			if sent {
				want = append(want, uint64(i+1))
			}
		}
		position := uint64(0)
		session := func(from uint64, lossy bool) {
			previous := from
			for seq := from + 1; seq <= newest; seq++ {
				if !sends[seq-1] {
					continue
				}
				position++
				if !lossy || rapid.IntRange(0, 9).Draw(t, "lost") > 0 {
					if err := s.sift([]received{{"n", position, time.Time{}, frameOf(t, s, "l", seq, previous)}}); err != nil {
						t.Fatal(err)
					}
				}
				previous = seq
			}
		}
		for range rapid.IntRange(0, 5).Draw(t, "sessions that lose messages") {
			session(uint64(rapid.IntRange(0, int(s.cursor.Sequence)).Draw(t, "from")), true)
		}
		session(s.cursor.Sequence, false)
		for _, e := range s.events {
			passed = append(passed, e.Sequence)
		}
		if !slices.Equal(passed, want) {
			t.Fatalf("passed %v, want %v", passed, want)
		}
	})
}

func TestSiftedApart(t *testing.T) {
	t.Parallel()
	s := sieveOf(t, store.Cursor{Ledger: "l", Sequence: 5}, "new")
	batch := []received{
		{"n", 1, time.Time{}, frameOf(t, s, "l", 5, 4)},
		{"n", 2, time.Time{}, frameOf(t, s, "other", 6, 5)},
		{"n", 3, time.Time{}, frameOf(t, s, "l", 6, 5)},
		{"n", 4, time.Time{}, []byte("?")},
		{"n", 5, time.Time{}, frameOf(t, s, "l", 8, 7)},
		{"n", 6, time.Time{}, frameOf(t, s, "l", 9, 8)},
		{"n", 7, time.Time{}, frameOf(t, s, "new", 1, 0)},
	}
	if err := s.sift(batch); err != nil {
		t.Fatal(err)
	}
	want := "map[dead:1 duplicate:1 foreign:1 gap:2 handled:2]"
	if got := fmt.Sprint(s.counts); got != want || s.cursor != (store.Cursor{Ledger: "new", Sequence: 1}) || s.gapAt != 5 || s.gap != "events after 6 up to 7 are missing" {
		t.Errorf("%s, want %s; %+v, %s at %d", got, want, s.cursor, s.gap, s.gapAt)
	}
}

// TestJumps: an event far beyond is no event, and those after it are no duplicates.
func TestJumps(t *testing.T) {
	t.Parallel()
	s := sieveOf(t, store.Cursor{Ledger: "l", Sequence: 5}, "l")
	for _, sequence := range []uint64{math.MaxUint64, 6 + maxJump, 5 + maxJump, 5 + 2*maxJump} {
		if err := s.sift([]received{{"n", 1, time.Time{}, frameOf(t, s, "l", sequence, 5)}}); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(len(s.dead), len(s.events), s.cursor.Sequence); got != fmt.Sprint(2, 2, uint64(5+2*maxJump)) {
		t.Error(got)
	}
}

// TestFormerLedgers go on until they were replaced, and in their order.
func TestFormerLedgers(t *testing.T) {
	t.Parallel()
	l := ledgers{[]store.FormerLedger{{Ledger: "a", Until: 10}, {Ledger: "b", Until: 20}}, "c"}
	for _, tc := range []struct {
		last, next string
		position   uint64
		want       bool
	}{
		{"", "a", 10, true},
		{"", "a", 11, false},
		{"", "b", 5, true},
		{"", "c", 5, true},
		{"", "stranger", 5, false},
		{"", "", 5, false},
		{"a", "b", 20, true},
		{"b", "a", 5, false},
		{"b", "c", 25, true},
		{"c", "b", 5, false},
		{"lost", "a", 5, true},
	} {
		if got := l.follows(tc.last, tc.next, tc.position); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
	n := &store.NodeRecord{}
	for i := range 20 {
		by := fmt.Sprint(i)
		n.Former = replaced(n, by, uint64(i))
		n.Ledger = by
		n.Former = replaced(n, by, 99) // another session
	}
	if got := fmt.Sprint(n.Former[0], n.Former[len(n.Former)-1], len(n.Former)); got != "{11 12} {18 19} 8" {
		t.Error(got)
	}
}

// TestTheDeskAgainstATwin: whatever is held, dropped, read again and handled in between, a position that
// the desk tells never passes a message that is not handled.
func TestTheDeskAgainstATwin(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		nodes := []string{"a", "b", "c", "d", "e"}
		stream := make([]string, 60) // whose message stands at each position
		for i := range stream {
			stream[i] = rapid.SampledFrom(nodes).Draw(t, "node")
		}
		created := time.Unix(1, 0)
		d := newDesk()
		handled := make([]bool, len(stream)+1)
		floor := map[int]uint64{} // what the desk has told of partitions
		at := uint64(0)
		reading := false
		var taken []*line
		d.begin(created, uint64(len(stream)), func() { reading = false })
		t.Repeat(map[string]func(*rapid.T){
			"hold": func(t *rapid.T) {
				p := partitionOf(rapid.SampledFrom(nodes).Draw(t, "of"))
				if _, held := d.held[p]; !held {
					d.hold(map[int]store.Partition{p: {Position: floor[p], Stream: created}})
					reading = false
				}
			},
			"drop": func(t *rapid.T) {
				p := partitionOf(rapid.SampledFrom(nodes).Draw(t, "of"))
				d.drop(p)
			},
			"begin": func(t *rapid.T) {
				at, reading = d.begin(created, uint64(len(stream)), func() { reading = false })
			},
			"read": func(t *rapid.T) {
				if reading && at < uint64(len(stream)) {
					at++
					d.take(received{nodeID: stream[at-1], position: at}, 0)
				}
			},
			"work": func(t *rapid.T) {
				l, _, _ := d.pick(time.Now())
				if l == nil {
					return
				}
				taken = append(taken, l)
				for at, node := range stream[:l.working[0].position-1] {
					busy := slices.ContainsFunc(taken, func(l *line) bool {
						return slices.ContainsFunc(l.working, func(r received) bool { return r.position == uint64(at+1) })
					})
					if node == l.nodeID && !handled[at+1] && !busy {
						t.Fatalf("%d of %s is at work, and %d was left out", l.working[0].position, node, at+1)
					}
				}
			},
			"done": func(t *rapid.T) {
				if len(taken) == 0 {
					t.Skip("nothing is at work")
				}
				i := rapid.IntRange(0, len(taken)-1).Draw(t, "which")
				for _, r := range taken[i].working {
					handled[r.position] = true
				}
				d.done(taken[i])
				taken = slices.Delete(taken, i, i+1)
			},
			"fail": func(t *rapid.T) {
				if len(taken) == 0 {
					t.Skip("nothing is at work")
				}
				i := rapid.IntRange(0, len(taken)-1).Draw(t, "which")
				if l := taken[i]; rapid.Bool().Draw(t, "for long") {
					if l.failing.IsZero() {
						d.trying++
					}
					l.failing = time.Unix(1, 0)
				}
				d.retry(taken[i], time.Now(), -time.Second)
				taken = slices.Delete(taken, i, i+1)
			},
			"": func(t *rapid.T) {
				now, _ := d.positions()
				for p, position := range now {
					floor[p] = max(floor[p], position)
					for at, node := range stream {
						if partitionOf(node) == p && uint64(at+1) <= position && !handled[at+1] {
							t.Fatalf("partition %d is at %d, but %d is not handled", p, position, at+1)
						}
					}
				}
				lines, hand, trying := slices.Collect(maps.Values(d.lines)), 0, 0
				for _, l := range taken {
					if l.dropped {
						lines = append(lines, l)
					}
				}
				for _, l := range lines {
					if !l.stuck {
						hand += len(l.pending) + len(l.working)
					} else if len(l.pending)+len(l.working) > 1 {
						t.Fatalf("%s is stuck and has %d messages in hand", l.nodeID, len(l.pending)+len(l.working))
					}
				}
				for _, l := range slices.Concat(taken, d.waiting) {
					if !l.failing.IsZero() {
						trying++
					}
				}
				if d.hand != hand || d.trying != trying || trying > triesAtOnce {
					t.Fatalf("%d in hand, want %d; %d are tried again, want %d", d.hand, hand, d.trying, trying)
				}
			},
		})
	})
}
