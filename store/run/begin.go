package run

import "time"

// onTime is how late a run may always start: timers fire, and are handled, when they can.
const onTime = time.Second

// begin starts a run that is due, unless it is too late.
func begin(t *turn, _ Event) {
	if t.now.Before(t.r.Start) {
		return
	}
	late := t.now.Sub(t.r.Start)
	catchUp := time.Duration(t.r.Work.CatchUpS * float64(time.Second))
	switch {
	case late > max(catchUp, onTime):
		t.miss(NotStarted.because("%s after its time, and %s are allowed", late.Round(time.Millisecond), catchUp))
	case !t.now.Before(t.r.End):
		t.miss(WindowIsOver.because("it ended at %s", t.r.End.Format(time.RFC3339Nano)))
	default:
		started := t.now
		t.r.StartedAt = &started
		t.setLate(t.now)
		t.moveRun(Starting, "")
	}
}

// miss ends a run that is not started.
func (t *turn) miss(reason string) {
	t.moveRun(Missed, reason)
	t.cancelSteps()
}

// setLate says when the first order was stored, as far as is known.
func (t *turn) setLate(at time.Time) {
	late := max(at.Sub(t.r.Start), 0).Seconds()
	t.r.LateS = &late
}

// callOff ends a run that has not begun.
func callOff(t *turn, what Event) {
	t.moveRun(Cancelled, wishOf(what))
	t.cancelSteps()
}

// cancelSteps ends the steps of a run that did not begin.
func (t *turn) cancelSteps() {
	for i := range t.r.Steps {
		t.moveStep(i, Cancelled, t.r.Reason)
	}
}

// wish has a run end that is under way.
func wish(t *turn, what Event) { t.end(Cancelled, wishOf(what)) }

// wishOf is the reason of who wants a run to end.
func wishOf(what Event) string {
	switch e := what.(type) {
	case Cancel:
		return ByRequest.because("%s", orElse(e.Reason, "by "+e.By))
	case Displace:
		return Displaced.because("%s", orElse(e.Reason, "by "+e.By))
	}
	return ""
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
