package execute

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/store/timetext"
)

// Sleep passes the time. It sleeps for the task's Duration, or as its command says: sleep SECONDS, or
// sleep 1m30s; several add up. It tells on stdout how far it is.
type Sleep struct {
	Clock clockwork.Clock
	Limit time.Duration // of any task
}

var _ Executor = Sleep{}

// Check fails for a command that is not to sleep, unless a Duration stands in for it.
func (s Sleep) Check(t Task) error {
	_, err := duration(t)
	return err
}

// Run sleeps.
func (s Sleep) Run(ctx context.Context, t Task, stdout, _ io.Writer) (int, error) {
	d, err := duration(t)
	if err != nil {
		return 0, err
	}
	limit := t.within(s.Limit)
	if err := s.sleep(ctx, min(d, limit), d, stdout); err != nil {
		return 0, err
	}
	if d > limit {
		return 0, fmt.Errorf("%w: %v is the limit", ErrTimeout, limit)
	}
	return 0, nil
}

// told is how often a task tells how far it is, at most; a long one does so less often.
const (
	told       = time.Second
	toldOfLong = 20
)

// sleep passes the time until end, of a task that takes d in all.
func (s Sleep) sleep(ctx context.Context, end, d time.Duration, stdout io.Writer) error {
	step := max(told, d/toldOfLong)
	for past := time.Duration(0); ; past = min(past+step, end) {
		if _, err := fmt.Fprintf(stdout, "slept %v of %v\n", past.Round(time.Millisecond), d); err != nil {
			return err
		}
		if past >= end {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.Clock.After(min(step, end-past)):
		}
	}
}

// duration is how long a task sleeps: as its command says, or else as long as it is planned to take.
func duration(t Task) (time.Duration, error) {
	switch commanded := len(t.Command) >= 2 && t.Command[0] == "sleep"; {
	case !commanded && t.Duration > 0:
		return t.Duration, nil
	case !commanded:
		return 0, errors.New("this node only sleeps: the command must be sleep SECONDS")
	}
	var sum time.Duration
	for _, arg := range t.Command[1:] {
		d, err := parseSleep(arg)
		if err != nil || d < 0 || d > maxSleep-sum {
			return 0, fmt.Errorf("sleep: %q is not a time between 0 and %v", clip(arg), maxSleep)
		}
		sum += d
	}
	return sum, nil
}

const maxSleep = 366 * 24 * time.Hour

func parseSleep(arg string) (time.Duration, error) {
	if d, err := timetext.Seconds(arg); err == nil {
		return d, nil
	}
	return timetext.Duration(arg)
}

// clip keeps long input out of messages.
func clip(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}
