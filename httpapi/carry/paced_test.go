package carry_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"oc-scheduler/httpapi/carry"
)

// level is a conversation that tells its newest value.
type level struct {
	value atomic.Int64
	wake  func()
	told  int64
	ended bool
}

func (l *level) OnWake(wake func()) { l.wake = wake }
func (l *level) Close()             { l.ended = true }
func (l *level) Take([]byte) error  { l.set(l.value.Load() + 1); return nil }

func (l *level) set(v int64) {
	l.value.Store(v)
	l.wake()
}

func (l *level) Poll() (carry.Frame, bool, error) {
	if v := l.value.Load(); v != l.told {
		l.told = v
		return carry.Frame{Data: []byte{byte(v)}}, true, nil
	}
	return carry.Frame{}, false, nil
}

// TestPacedTellsTheNewest at each interval, also when nothing changes any more, and answers at once.
func TestPacedTellsTheNewest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &level{}
		p := carry.Paced(l, 100*time.Millisecond)
		woken := make(chan struct{}, 1)
		p.OnWake(func() {
			select {
			case woken <- struct{}{}:
			default:
			}
		})
		begin := time.Now()
		type told struct {
			value byte
			after time.Duration
		}
		var all []told
		read := func(until time.Duration) {
			end := time.After(time.Until(begin.Add(until)))
			for {
				for {
					f, ok, err := p.Poll()
					if err != nil {
						t.Fatal(err)
					}
					if !ok {
						break
					}
					all = append(all, told{f.Data[0], time.Since(begin)})
				}
				select {
				case <-woken:
				case <-end:
					return
				}
			}
		}
		go func() {
			for v := range int64(25) { // the last one after 240 ms
				l.set(v + 1)
				time.Sleep(10 * time.Millisecond)
			}
		}()
		read(time.Second)
		if n := len(all); n != 4 || all[n-1] != (told{25, 300 * time.Millisecond}) || all[1].after-all[0].after != 100*time.Millisecond {
			t.Errorf("%v", all)
		}
		l.set(30)
		read(1001 * time.Millisecond)
		if err := p.Take(nil); err != nil {
			t.Fatal(err)
		}
		read(1002 * time.Millisecond)
		if n := len(all); all[n-1] != (told{31, 1001 * time.Millisecond}) {
			t.Errorf("an answer: %v", all)
		}
		l.set(32)
		read(1003 * time.Millisecond)
		p.Close()
		if synctest.Wait(); !l.ended {
			t.Error("not closed")
		}
	})
}
