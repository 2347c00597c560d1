package httpapi

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestChanges(t *testing.T) {
	t.Parallel()
	var c changes
	c.changed("a") // nobody waits
	a, leaveA := c.join("a")
	again, leaveAgain := c.join("a")
	b, leaveB := c.join("b")
	c.changed("a")
	c.changed("a") // before anybody looked
	if len(a) != 1 || len(again) != 1 || len(b) != 0 {
		t.Errorf("tokens: %d, %d, %d", len(a), len(again), len(b))
	}
	<-a
	leaveAgain()
	c.changed("a")
	if len(a) != 1 {
		t.Error("not woken again")
	}
	leaveA()
	leaveB()
	if len(c.waiting) != 0 {
		t.Errorf("left behind: %v", c.waiting)
	}
}

// TestAFollowerSleeps until what it waits for changes: it looks by itself only at an execution that is
// being started.
func TestAFollowerSleeps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c changes
		changed, leave := c.join("x")
		defer leave()
		o := &output{changed: changed}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		began := time.Now()
		go func() {
			time.Sleep(time.Minute)
			c.changed("x")
		}()
		if err := o.wait(ctx, false); err != nil || time.Since(began) != time.Minute {
			t.Errorf("woken after %v, %v", time.Since(began), err)
		}
		if err := o.wait(ctx, true); err != nil || time.Since(began) != time.Minute+outputLook {
			t.Errorf("looked after %v, %v", time.Since(began), err)
		}
		if err := o.wait(ctx, false); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Hour {
			t.Errorf("ended after %v, %v", time.Since(began), err)
		}
	})
}
