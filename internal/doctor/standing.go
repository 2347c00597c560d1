package doctor

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
)

// standing notes the streams that stand. Those of which the servers don't tell are of one outage mostly.
func (e *exam) standing(ctx context.Context) {
	all := expectations(1)
	found, errs := make([]jetstream.Stream, len(all)), make([]error, len(all))
	var asked sync.WaitGroup
	for i, x := range all {
		asked.Go(func() { found[i], errs[i] = e.js.Stream(ctx, x.Stream.Name) }) // each may take as long as all
	}
	asked.Wait()
	untold := map[string][]string{} // names by error
	for i, x := range all {
		switch {
		case errs[i] == nil:
			e.streams[x.Stream.Name] = found[i].CachedInfo()
		case !errors.Is(errs[i], jetstream.ErrStreamNotFound):
			untold[errs[i].Error()] = append(untold[errs[i].Error()], x.Stream.Name)
			e.untold = append(e.untold, x.Stream.Name)
		}
	}
	for _, text := range slices.Sorted(maps.Keys(untold)) {
		e.fail(some(untold[text])+": "+text, "start the servers that are away: a majority of those that keep a stream must run (`"+e.nats("server report jetstream")+"` with a user of the system account)")
		e.absent = e.last()
	}
}
