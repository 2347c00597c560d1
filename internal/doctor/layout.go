package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
)

// layout compares the streams with what the replicas need.
func (e *exam) layout(ctx context.Context) {
	missing := e.standing(ctx)
	right := 0
	for _, x := range expectations(e.copies()) {
		if have := e.streams[x.Stream.Name]; have != nil && e.compared(x, have) {
			right++
		}
	}
	if right > 0 {
		e.ok("%s as the replicas need them", counted(right, "stream"))
	}
	e.missing(ctx, missing)
}

// standing notes the streams that stand and returns the others.
func (e *exam) standing(ctx context.Context) (missing []expectation) {
	for _, x := range expectations(1) {
		stream, err := e.js.Stream(ctx, x.Stream.Name)
		switch {
		case err == nil:
			e.streams[x.Stream.Name] = stream.CachedInfo()
		case errors.Is(err, jetstream.ErrStreamNotFound):
			missing = append(missing, x)
		default:
			e.fail(fmt.Sprintf("%s: %v", x.Stream.Name, err), "in a cluster a majority of the stream's servers must run")
		}
	}
	return missing
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
	list := jet.StreamDifferences(have.Config, x.Stream)
	if len(list) == 0 {
		return true
	}
	name := x.Stream.Name
	e.fail(fmt.Sprintf("%s: %v; replicas refuse to start", name, list), fmt.Sprintf(
		"`nats stream edit %s` where the server allows it; else save what is of use (`nats stream backup %s DIR`), remove it (`nats stream rm %s`), and a replica makes it anew",
		name, name, name))
	return false
}

// missing tells of streams that do not stand: perhaps because another one is in their place.
func (e *exam) missing(ctx context.Context, list []expectation) {
	var names []string
	for _, x := range list {
		if !e.captured(ctx, x) {
			names = append(names, x.Stream.Name)
		}
	}
	if len(names) > 0 {
		e.warn("not there: "+some(names), "start a replica (`oc-scheduler serve`): it makes what is missing")
	}
}

func (e *exam) captured(ctx context.Context, x expectation) bool {
	found := false
	for _, subject := range x.Stream.Subjects {
		name, err := e.js.StreamNameBySubject(ctx, subject)
		if err != nil {
			continue // nobody captures it, or nobody says so: then it is told as missing
		}
		found = true
		e.fail(fmt.Sprintf("%s cannot be made: stream %s captures %s; replicas refuse to start", x.Stream.Name, name, subject),
			fmt.Sprintf("take the subject out of it: `nats stream edit %s --subjects …`", name))
	}
	return found
}
