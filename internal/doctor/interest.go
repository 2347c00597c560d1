package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"

	"oc-scheduler/store"
	"oc-scheduler/store/kv"
)

// interest looks for peers that seem watched and are not: by replicas that are gone, or by nobody.
func (e *exam) interest(ctx context.Context) {
	orphaned, empty, peers, err := e.loose(ctx)
	if len(orphaned)+len(empty) > 0 { // a survivor may be about to take them out
		e.settle(ctx)
		var again, emptyAgain []string
		again, emptyAgain, peers, err = e.loose(ctx)
		orphaned, empty = both(orphaned, again), both(empty, emptyAgain)
	}
	if err != nil {
		e.unreadable(err)
		return
	}
	if len(orphaned) > 0 {
		e.warn(fmt.Sprintf("%s held by replicas without a lease: %s", counted(len(orphaned), "peer"), some(orphaned)),
			"a living replica takes them out within seconds, and so does each start: start a replica; if one runs, look for \"interest\" in its log")
	}
	if len(empty) > 0 {
		e.warn(fmt.Sprintf("%s with an empty list, whose planner is still to be closed: %s", counted(len(empty), "peer"), some(empty)),
			"a living replica finishes this within seconds, and so does each start: start a replica")
	}
	if len(orphaned)+len(empty) == 0 {
		e.ok("%s watched, all by living replicas", counted(peers, "peer"))
	}
}

// loose lists, as "peer (replica)", whom only replicas without a lease hold on to, and peers whose
// list is empty. Leases are read last, so that one of a replica that has just begun is seen.
func (e *exam) loose(ctx context.Context) (orphaned, empty []string, peers int, err error) {
	lists := map[string][]string{}
	for r, err := range store.ReadInterest(ctx, e.js) {
		if err != nil {
			return nil, nil, 0, err
		}
		if r.Err == nil {
			lists[r.Key.ID()] = r.Value
		}
	}
	alive := map[string]bool{}
	for r, err := range store.ReadLeases(ctx, e.js) {
		if err != nil {
			return nil, nil, 0, err
		}
		alive[r.Key.ID()] = true
	}
	for peer, replicas := range lists {
		if len(replicas) == 0 {
			empty = append(empty, peer)
		}
		for _, replica := range replicas {
			if !alive[replica] {
				orphaned = append(orphaned, fmt.Sprintf("%s (%s)", peer, replica))
			}
		}
	}
	return orphaned, empty, len(lists) - len(empty), nil
}

func both(a, b []string) []string {
	return slices.DeleteFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}

// unreadable tells of a bucket that could not be read: because it is not as it must be, where that was seen.
func (e *exam) unreadable(err error) {
	if errors.Is(err, nats.ErrNoResponders) && e.follows(e.hinders, "not looked at: "+e.check) {
		return
	}
	what := strings.Replace(err.Error(), kv.ErrUnavailable.Error()+": ", "", 1) // NATS answers, or nothing would be asked here
	e.unknown(what, "mend what is said of the streams above, then run this again")
}
