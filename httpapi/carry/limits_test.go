package carry

import (
	"errors"
	"fmt"
	"sync"
	"testing"
)

func TestLimitsOfAClientAndOfAll(t *testing.T) {
	t.Parallel()
	l := &limits{max: 3, maxPerClient: 2}
	enter := func(client, want string) {
		t.Helper()
		err := l.enter(client)
		if fmt.Sprint(err) != want {
			t.Fatalf("enter(%s): %v", client, err)
		}
		if refused, ok := errors.AsType[*LimitError](err); ok != (err != nil) {
			t.Errorf("refused by %+v, %T", refused, err)
		}
	}
	const in, ofOne, ofAll = "<nil>", "one client may have 2 streams at most", "this replica serves 3 streams at most"
	enter("192.0.2.1", in)
	enter("192.0.2.1", in)
	enter("192.0.2.1", ofOne)
	enter("192.0.2.2", in)
	enter("192.0.2.3", ofAll)
	l.leave("192.0.2.1")
	enter("192.0.2.3", in)
	for n := range 3 {
		l.leave(fmt.Sprintf("192.0.2.%d", n+1))
	}
	if l.total != 0 || len(l.perClient) != 0 {
		t.Errorf("left behind: %d, %v", l.total, l.perClient)
	}
}

func TestLimitsHoldUnderContention(t *testing.T) {
	t.Parallel()
	l := &limits{max: 5, maxPerClient: 100}
	client := "192.0.2.1"
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 200 {
				if l.enter(client) != nil {
					continue
				}
				l.mu.Lock()
				if l.total > l.max {
					t.Errorf("%d streams", l.total)
				}
				l.mu.Unlock()
				l.leave(client)
			}
		})
	}
	wg.Wait()
	if l.total != 0 {
		t.Errorf("%d left", l.total)
	}
}
