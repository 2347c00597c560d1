package live

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"oc-scheduler/jet"
)

var errOver = errors.New("over")

// model shows a number, and how often it was looked at.
type model struct {
	changed jet.Wake
	number  atomic.Int64
	looks   atomic.Int64
	took    time.Duration
	again   time.Duration
	closed  atomic.Int64
}

func newModel() *model { return &model{changed: jet.NewWake()} }

func (m *model) set(n int64) {
	m.number.Store(n)
	m.changed.Up()
}

func (m *model) Changed() <-chan struct{} { return m.changed }

func (m *model) Look(context.Context) ([]byte, time.Duration, error) {
	m.looks.Add(1)
	n := m.number.Load()
	time.Sleep(m.took)
	if n < 0 {
		return nil, 0, errOver
	}
	return fmt.Append(nil, n), m.again, nil
}

func (m *model) Close() { m.closed.Add(1) }

// join looks at the model, and returns what was told by then when it is called.
func join(t *testing.T, vs *Views, key string, m *model) (l *Looker, told func() string) {
	t.Helper()
	l, err := vs.Join(key, func() (Model, error) { return m, nil })
	if err != nil {
		t.Fatal(err)
	}
	woken := jet.NewWake()
	l.OnWake(woken.Up)
	woken.Up()
	return l, func() string {
		synctest.Wait()
		all := ""
		select {
		case <-woken:
		default:
			return all
		}
		for {
			f, ok, err := l.Poll()
			if err != nil {
				return all + err.Error()
			}
			if !ok {
				return all
			}
			all += string(f.Data) + " "
		}
	}
}

func want(t *testing.T, what, is, should string) {
	t.Helper()
	if is != should {
		t.Errorf("%s: told %q, not %q", what, is, should)
	}
}

// TestAViewIsRenderedOnceForAll who look, and again only when something changed.
func TestAViewIsRenderedOnceForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var vs Views
		m := newModel()
		var lookers []*Looker
		var tolds []func() string
		for range 200 {
			l, told := join(t, &vs, "k", m)
			want(t, "at first", told(), "0 ")
			lookers, tolds = append(lookers, l), append(tolds, told)
		}
		time.Sleep(time.Hour)
		m.set(1)
		for _, told := range tolds {
			want(t, "after a change", told(), "1 ")
		}
		m.set(1)
		time.Sleep(time.Second)
		for _, told := range tolds {
			want(t, "after what changes nothing", told(), "")
		}
		if n := m.looks.Load(); n != 3 {
			t.Errorf("it was rendered %d times", n)
		}
		other := newModel()
		l, _ := join(t, &vs, "other", other)
		if vs.Open() != 2 {
			t.Errorf("%d views are open", vs.Open())
		}
		l.Close()
		for i, l := range lookers {
			if m.closed.Load() > 0 {
				t.Fatalf("it is closed after %d have left", i)
			}
			l.Close()
		}
		vs.Wait()
		if m.closed.Load() != 1 || other.closed.Load() != 1 || vs.Open() != 0 {
			t.Errorf("closed %d and %d times, open are %d", m.closed.Load(), other.closed.Load(), vs.Open())
		}
		again := newModel()
		l, told := join(t, &vs, "k", again)
		want(t, "a view of a key that there was", told(), "0 ")
		l.Close()
		vs.Wait()
	})
}

// TestAViewRests between renderings, the longer the longer they take, and tells the newest state last.
func TestAViewRests(t *testing.T) {
	for took, most := range map[time.Duration]int64{0: 51, 50 * time.Millisecond: 21, time.Second: 2} {
		synctest.Test(t, func(t *testing.T) {
			var vs Views
			m := newModel()
			m.took = took
			l, told := join(t, &vs, "k", m)
			told()
			time.Sleep(time.Minute)
			last := m.looks.Load()
			for n := range int64(10_000) { // ten seconds
				time.Sleep(time.Millisecond)
				m.set(n)
			}
			if n := m.looks.Load() - last; n > most || n < most/2 {
				t.Errorf("renderings of %v: %d in ten seconds", took, n)
			}
			time.Sleep(time.Minute)
			if got := told(); got != "9999 " {
				t.Errorf("renderings of %v: told last %q", took, got)
			}
			l.Close()
			vs.Wait()
		})
	}
}

// TestAViewLooksAgain after the time that it asks for, and not where it asks for none.
func TestAViewLooksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var vs Views
		m := newModel()
		m.again = 5 * time.Second
		l, told := join(t, &vs, "k", m)
		told()
		m.number.Store(1) // which nobody tells
		time.Sleep(6 * time.Second)
		want(t, "what nobody told of", told(), "1 ")
		l.Close()
		vs.Wait()
	})
}

// TestAViewEnds for all who look, and the next who comes opens another.
func TestAViewEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var vs Views
		m := newModel()
		one, told := join(t, &vs, "k", m)
		other, toldOther := join(t, &vs, "k", m)
		told()
		toldOther()
		m.set(-1)
		time.Sleep(time.Second)
		want(t, "the end", told(), "over")
		want(t, "the end", toldOther(), "over")
		next := newModel()
		third, toldThird := join(t, &vs, "k", next)
		want(t, "another view", toldThird(), "0 ")
		one.Close()
		other.Close()
		if vs.Open() != 1 {
			t.Errorf("%d views are open", vs.Open())
		}
		third.Close()
		vs.Wait()
	})
}

// TestWhatCannotBeLookedAt is refused to all who came for it, and tried again for who comes later.
func TestWhatCannotBeLookedAt(t *testing.T) {
	const crowd = 10
	var vs Views
	bad := newModel()
	bad.number.Store(-1)
	refused, opened := make(chan error, crowd), atomic.Int64{}
	for range crowd {
		go func() {
			_, err := vs.Join("k", func() (Model, error) {
				opened.Add(1)
				for looking(&vs, "k") < crowd { // all have come
					time.Sleep(time.Millisecond)
				}
				return bad, nil
			})
			refused <- err
		}()
	}
	for range crowd {
		if err := <-refused; !errors.Is(err, errOver) {
			t.Errorf("refused by %v", err)
		}
	}
	if opened.Load() != 1 || bad.closed.Load() != 1 || vs.Open() != 0 {
		t.Errorf("opened %d times, closed %d, left %d", opened.Load(), bad.closed.Load(), vs.Open())
	}
	if _, err := vs.Join("k", func() (Model, error) { return nil, errOver }); !errors.Is(err, errOver) {
		t.Errorf("refused by %v", err)
	}
	l, err := vs.Join("k", func() (Model, error) { return newModel(), nil })
	if err != nil {
		t.Fatal(err)
	}
	if f, ok, err := l.Poll(); string(f.Data) != "0" || !ok || err != nil {
		t.Errorf("what can be looked at now: %q, %v", f.Data, err)
	}
	l.Close()
	vs.Wait()
}

// looking is how many look at the view of a key.
func looking(vs *Views, key string) int {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return len(vs.open[key].lookers)
}
