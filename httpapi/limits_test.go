package httpapi

import (
	"errors"
	"net/http"
	"sync"
	"testing"
)

func TestLimitsOfAClientAndOfAll(t *testing.T) {
	t.Parallel()
	l := &limits{max: 3, maxPerClient: 2}
	var leaves []func()
	enter := func(remote string, want bool) {
		t.Helper()
		leave, err := l.enter(remote)
		if (err == nil) != want {
			t.Fatalf("enter(%s): %v", remote, err)
		}
		if err == nil {
			leaves = append(leaves, leave)
			return
		}
		var p *Problem
		if !errors.As(err, &p) || p.Status != http.StatusTooManyRequests || p.retryAfter <= 0 {
			t.Errorf("refused by %+v", err)
		}
	}
	enter("192.0.2.1", true)
	enter("::ffff:192.0.2.1", true) // the same client
	enter("192.0.2.1", false)
	enter("192.0.2.2", true)
	enter("192.0.2.3", false) // three is all
	leaves[0]()
	enter("192.0.2.3", true)
	for _, leave := range leaves[1:] {
		leave()
	}
	if l.total != 0 || len(l.perClient) != 0 {
		t.Errorf("left behind: %d, %v", l.total, l.perClient)
	}
}

func TestAnIPv6ClientIsItsNetwork(t *testing.T) {
	t.Parallel()
	if clientOf("2001:db8::1") != clientOf("2001:db8::ffff:2%eth0") || clientOf("2001:db8::1") == clientOf("2001:db8:0:1::1") {
		t.Error("clients are not told apart by their /64")
	}
	if clientOf("192.0.2.1") == clientOf("192.0.2.2") || clientOf("@") != clientOf("") {
		t.Error("IPv4 addresses are one client each, and what is none is one together")
	}
}

func TestLimitsHoldUnderContention(t *testing.T) {
	t.Parallel()
	l := &limits{max: 5, maxPerClient: 100}
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 200 {
				leave, err := l.enter("192.0.2.1")
				if err != nil {
					continue
				}
				l.mu.Lock()
				if l.total > l.max {
					t.Errorf("%d streams", l.total)
				}
				l.mu.Unlock()
				leave()
			}
		})
	}
	wg.Wait()
	if l.total != 0 {
		t.Errorf("%d left", l.total)
	}
}
