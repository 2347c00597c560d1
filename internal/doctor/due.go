package doctor

import (
	"context"
	"fmt"
	"time"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/run"
)

// due looks for what should have happened: timers that were not handled, what no timer wakes, and runs that should
// have moved.
func (e *exam) due(ctx context.Context) {
	w, err := e.waiting(ctx)
	if err == nil && w.late() { // it may be under way
		e.settle(ctx)
		before := w
		w, err = e.waiting(ctx)
		w.unfired, w.unhandled = both(w.unfired, before.unfired), both(w.unhandled, before.unhandled)
		w.asleep, w.unmoved = both(w.asleep, before.asleep), both(w.unmoved, before.unmoved)
	}
	if err != nil {
		e.unreadable(err)
		return
	}
	if len(w.unfired) > 0 {
		e.fail(fmt.Sprintf("%s long due that NATS has not let fire: %s", counted(len(w.unfired), "timer"), some(w.unfired)),
			"restart the server that leads KV_plan (`"+e.nats("server report jetstream")+"` with a user of the system account): the next one reads all timers anew")
	}
	if len(w.unhandled) > 0 {
		e.warn(fmt.Sprintf("%s that fired and that nobody has handled: %s", counted(len(w.unhandled), "timer"), some(w.unhandled)),
			"start a replica; where one lives, its log tells why (of=timers)")
	}
	if len(w.asleep) > 0 {
		e.warn(fmt.Sprintf("%s that no timer wakes: %s", counted(len(w.asleep), "schedule or run"), some(w.asleep)),
			"`oc-scheduler schedules pause ID` and `resume ID` set a schedule's; a run: `oc-scheduler runs cancel ID`")
	}
	if len(w.unmoved) > 0 {
		e.warn(fmt.Sprintf("%s that should have moved: %s", counted(len(w.unmoved), "run"), some(w.unmoved)),
			"`oc-scheduler runs ID` and `history ID` show what it waits for; `runs cancel ID` ends it")
	}
	if !w.late() {
		e.ok("%s, %s to end, none is late", counted(w.timers, "timer"), counted(w.runs, "run"))
	}
}

// waiting is what waits for its time, or has done so for too long.
type waiting struct {
	timers, runs                        int
	unfired, unhandled, asleep, unmoved []string
}

func (w *waiting) late() bool {
	return len(w.unfired)+len(w.unhandled)+len(w.asleep)+len(w.unmoved) > 0
}

// waiting reads timers before those that fired, which each of them may become meanwhile, and both after what they wake.
func (e *exam) waiting(ctx context.Context) (w waiting, err error) {
	now := e.Now()
	sleepers := map[string]bool{}
	for r, err := range kv.Read(ctx, e.js, plan.Schedules, plan.DecodeSchedule) {
		if err != nil {
			return w, err
		}
		if r.Err == nil && !r.Value.State.Final() {
			sleepers[r.Key.ID()] = true
		}
	}
	for r, err := range kv.Read(ctx, e.js, plan.Runs, plan.DecodeRun) {
		if err != nil {
			return w, err
		}
		if r.Err != nil || r.Value.State.Final() {
			continue
		}
		w.runs++
		if r.Value.State == run.Scheduled {
			sleepers[r.Key.ID()] = true
		}
		if by := movesBy(&r.Value); late(by, now) {
			w.unmoved = append(w.unmoved, fmt.Sprintf("%s, %s at %s", r.Key.ID(), r.Value.State, by.UTC().Format(time.RFC3339)))
		}
	}
	for _, from := range []struct {
		space  kv.Space
		decode kv.Decode[time.Time]
		list   *[]string
	}{{plan.Due, plan.DecodeTimer, &w.unfired}, {plan.Fired, plan.DecodeFired, &w.unhandled}} {
		for r, err := range kv.Read(ctx, e.js, from.space, from.decode) {
			if err != nil {
				return w, err
			}
			w.timers++
			delete(sleepers, r.Key.ID())
			if r.Err == nil && late(r.Value, now) {
				*from.list = append(*from.list, r.Key.ID()+" since "+r.Value.UTC().Format(time.RFC3339))
			}
		}
	}
	for id := range sleepers {
		w.asleep = append(w.asleep, id)
	}
	return w, nil
}

func late(at, now time.Time) bool { return now.Sub(at) > tardy }

// movesBy is when a run that has not ended has begun, or ended, at the latest; that of a node's word is waited for.
func movesBy(r *run.Record) time.Time {
	if r.State == run.Scheduled {
		return r.Start
	}
	by := r.End
	for _, task := range r.Work.Tasks {
		for _, try := range task.Tries {
			if try.WaitTill.After(by) {
				by = try.WaitTill
			}
		}
	}
	return by
}
