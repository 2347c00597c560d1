package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
)

// layout compares the streams with what the replicas need.
func (e *exam) layout(ctx context.Context) {
	right := 0
	var missing []expectation
	for _, x := range expectations(e.copies()) {
		switch have := e.streams[x.Stream.Name]; {
		case have != nil && e.compared(x, have):
			right++
		case have == nil && !slices.Contains(e.untold, x.Stream.Name):
			missing = append(missing, x)
		}
	}
	if right > 0 {
		e.ok("%s as the replicas need them", counted(right, "stream"))
	}
	e.missing(ctx, missing)
}

// copies is the replication that is wanted.
func (e *exam) copies() int {
	if e.Copies > 0 {
		return e.Copies
	}
	for _, x := range expectations(1) { // the planners' comes first
		if have := e.streams[x.Stream.Name]; have != nil {
			return max(have.Config.Replicas, 1)
		}
	}
	return 1
}

func (e *exam) compared(x expectation, have *jetstream.StreamInfo) bool {
	next, err := jet.Adapt(have.Config, x.Stream)
	foreign, is := errors.AsType[*jet.ForeignError](err)
	layout, of := errors.AsType[*jet.LayoutError](err)
	switch {
	case next != nil:
		e.warn(x.Stream.Name+" is of an older release", "start a replica of this one (`oc-scheduler serve`): it changes the stream in place")
		return false
	case is:
		e.fail(fmt.Sprintf("%s: %v; replicas refuse to start", x.Stream.Name, foreign.Differences), e.mendStream(have.Config, x.Stream, foreign.Differences))
	case of && len(layout.Differences) > 0:
		e.fail(err.Error()+"; replicas refuse to start", e.mendStream(have.Config, x.Stream, layout.Differences))
	case of:
		e.fail(err.Error()+"; replicas of this one refuse to start", fmt.Sprintf("run a release of layout %d or newer", layout.Have.Least))
	default:
		return true
	}
	e.hinders = e.last()
	return false
}

// missing tells of streams that do not stand: because another one is in their place, because of what keeps
// replicas from making them, or because none has run yet.
func (e *exam) missing(ctx context.Context, list []expectation) {
	var names []string
	for _, x := range list {
		if !e.captured(ctx, x) {
			names = append(names, x.Stream.Name)
		}
	}
	if len(names) == 0 {
		return
	}
	what := "not there: " + some(names)
	if e.follows(e.hinders, what) {
		e.absent = e.hinders
		return
	}
	e.warn(what, "start a replica (`oc-scheduler serve`): it makes what is missing")
	e.absent = e.last()
}

func (e *exam) captured(ctx context.Context, x expectation) bool {
	captors := map[string][]string{}
	for _, subject := range x.Stream.Subjects {
		name, err := e.js.StreamNameBySubject(ctx, subject)
		if err != nil {
			continue // nobody captures it, or nobody says so: then it is told as missing
		}
		captors[name] = append(captors[name], subject)
	}
	for _, name := range slices.Sorted(maps.Keys(captors)) {
		e.fail(fmt.Sprintf("%s cannot be made: stream %s captures %s; replicas refuse to start", x.Stream.Name, name, strings.Join(captors[name], ", ")),
			e.mendCaptor(ctx, name, x.Stream.Subjects))
		e.hinders = e.last()
	}
	return len(captors) > 0
}
