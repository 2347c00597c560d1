package live

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// rest is the time between two renderings of a view at least.
	rest = 200 * time.Millisecond
	// restTimes is how much longer than a rendering took a view rests: none costs more than a tenth of a processor.
	restTimes = 9
)

// view is what some look at.
type view struct {
	views  *Views
	key    string
	ctx    context.Context // ends with the last looker
	cancel context.CancelFunc

	opening sync.Once
	model   Model
	refused error // why there is nothing to look at; after opening

	now     atomic.Pointer[sight]
	lookers map[*Looker]struct{} // guarded by views.mu
}

// sight is what was told last.
type sight struct {
	data  []byte
	ended error
}

// begin looks for the first time, and goes on as long as somebody does.
func (v *view) begin(open func() (Model, error)) {
	if v.model, v.refused = open(); v.refused != nil {
		return
	}
	began := time.Now()
	data, again, err := v.model.Look(v.ctx)
	if err != nil {
		v.model.Close()
		v.refused = err
		return
	}
	v.now.Store(&sight{data: data})
	v.views.all.Go(func() {
		defer v.model.Close()
		v.run(resting(began), again)
	})
}

func (v *view) run(pause, again time.Duration) {
	clock := time.NewTimer(pause)
	defer clock.Stop()
	for {
		select {
		case <-clock.C:
		case <-v.ctx.Done():
			return
		}
		var over <-chan time.Time // never, where it need not be looked again
		if again > 0 {
			clock.Reset(again)
			over = clock.C
		}
		select {
		case <-v.model.Changed():
		case <-over:
		case <-v.ctx.Done():
			return
		}
		began := time.Now()
		data, next, err := v.model.Look(v.ctx)
		if v.ctx.Err() != nil {
			return
		}
		if err != nil || !bytes.Equal(data, v.now.Load().data) {
			v.views.tell(v, &sight{data, err})
		}
		if err != nil {
			return
		}
		again = next
		clock.Reset(resting(began))
	}
}

// resting is how long a view rests after a rendering.
func resting(began time.Time) time.Duration { return max(rest, restTimes*time.Since(began)) }
