package ncl

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var errTest = errors.New("refused")

// twin is a line without cunning: it keeps all that ever joined, and looks at each every time.
type twin struct {
	all    []*member
	since  int // members before belong to earlier generations
	broken bool
}

type member struct {
	token    uint64
	future   *future
	stored   uint64
	sequence uint64 // outcome
	err      error  // outcome
	known    bool
}

func (m *member) resolve(sequence uint64, err error) {
	m.known, m.sequence, m.err = true, sequence, err
}

func (w *twin) open() (open []*member) {
	for _, m := range w.all {
		if !m.known {
			open = append(open, m)
		}
	}
	return open
}

func (w *twin) store(token, sequence uint64) {
	for _, m := range w.open() {
		if m.token == token {
			m.stored = sequence
		}
	}
	for _, m := range w.open() {
		if m.stored == 0 {
			return
		}
		m.resolve(m.stored, nil)
	}
}

func (w *twin) fail(token uint64) {
	found := false
	for _, m := range w.open() {
		switch {
		case m.token == token:
			m.resolve(0, errTest)
			found = true
		case found:
			m.resolve(0, ErrBroken)
		}
	}
	w.broken = w.broken || found
}

func (w *twin) reset() {
	for _, m := range w.open() {
		m.resolve(0, ErrReset)
	}
	w.since, w.broken = len(w.all), false
}

// TestALineIsItsTwin holds a line against its twin through random outcomes, late and repeated ones
// among them; and that what was stored is a prefix, whatever happens.
func TestALineIsItsTwin(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 5).Draw(t, "size")
		l, w := newLine(size), &twin{}
		token := func() uint64 { return rapid.Uint64Max(uint64(len(w.all))).Draw(t, "token") }
		t.Repeat(map[string]func(*rapid.T){
			"join": func(t *rapid.T) {
				token, f, _, err := l.join(l.current(), time.Time{})
				switch {
				case w.broken:
					if !errors.Is(err, ErrBroken) {
						t.Fatalf("joined a broken line: %v", err)
					}
				case len(w.open()) == size:
					if !errors.Is(err, errFull) {
						t.Fatalf("joined a full line: %v", err)
					}
				case err != nil:
					t.Fatal(err)
				default:
					w.all = append(w.all, &member{token: token, future: f})
				}
			},
			"store": func(t *rapid.T) {
				token, sequence := token(), rapid.Uint64Range(1, 100).Draw(t, "sequence")
				l.stored(token, sequence)
				w.store(token, sequence)
			},
			"fail": func(*rapid.T) {
				token := token()
				l.fail(token, errTest)
				w.fail(token)
			},
			"reset": func(*rapid.T) {
				l.clear(ErrReset)
				l.mend()
				w.reset()
			},
			"": func(t *rapid.T) { compareLines(t, w) },
		})
	})
}

func compareLines(t *rapid.T, w *twin) {
	failed := false
	for i, m := range w.all {
		f := m.future
		if f.known() != m.known || f.StreamSequence() != m.sequence || !errors.Is(f.Err(), m.err) {
			t.Fatalf("message %d: %v %d %v, want %v %d %v", i, f.known(), f.StreamSequence(), f.Err(), m.known, m.sequence, m.err)
		}
		if i >= w.since {
			ok := f.known() && f.Err() == nil
			if ok && failed {
				t.Fatalf("message %d is stored, one before it is not", i)
			}
			failed = failed || !ok
		}
	}
}

func TestALineRefusesThePast(t *testing.T) {
	t.Parallel()
	l := newLine(1)
	before := l.current()
	l.clear(ErrReset)
	if _, _, _, err := l.join(l.current(), time.Time{}); !errors.Is(err, ErrReset) {
		t.Errorf("during a reset: %v", err)
	}
	l.mend()
	if _, _, _, err := l.join(before, time.Time{}); !errors.Is(err, ErrReset) {
		t.Errorf("called before a reset: %v", err)
	}
	l.clear(ErrClosed)
	l.clear(ErrReset)
	l.mend()
	if _, _, _, err := l.join(l.current(), time.Time{}); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

func TestALineIsWatched(t *testing.T) {
	t.Parallel()
	l, start := newLine(9), time.Now()
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	join := func(s int, unwatched bool) (uint64, *future) {
		t.Helper()
		token, f, got, err := l.join(l.current(), at(s))
		if err != nil || got != unwatched {
			t.Fatalf("unwatched %v, %v", got, err)
		}
		return token, f
	}
	first, _ := join(0, true)
	_, second := join(3, false)
	if again := l.expire(at(4), 10*time.Second); again != 6*time.Second {
		t.Errorf("the first is to be looked at in %v", again)
	}
	l.stored(first, 1)
	if again := l.expire(at(10), 10*time.Second); again != 3*time.Second {
		t.Errorf("the second is to be looked at in %v", again)
	}
	if again := l.expire(at(13), 10*time.Second); again != 0 || !errors.Is(second.Err(), ErrNoAck) {
		t.Errorf("the second waits: %v, %v", again, second.Err())
	}
	l.clear(ErrReset)
	l.mend()
	join(20, true)
}
