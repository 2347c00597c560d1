package run_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/store/execution"
	"oc-scheduler/store/run"
)

// world is a run, and what a model remembers of it while anything at all happens.
type world struct {
	*story
	t     *rapid.T
	now   float64
	tries map[string]int  // starts that went out, by execution
	freed map[string]bool // by item
	stops map[string]bool // orders to end that went out, by execution
	told  []run.Event     // what has been told, and may be again
	ended bool            // something has begun to end the run
}

// happens is a turn, with what has to hold of it.
func (w *world) happens(what run.Event) {
	before, asWas := w.r, w.json()
	w.on(w.now, what)
	if was := (&world{story: &story{r: before}, t: w.t}).json(); was != asWas {
		w.t.Fatalf("%#v changes the record that was before it", what)
	}
	for _, o := range w.out.Start {
		w.started(before, o)
	}
	w.startLost(before, what)
	for _, o := range w.out.Stop {
		w.stops[o.ExecutionID] = true
	}
	for _, f := range w.out.Free {
		if w.freed[f.ItemID] {
			w.t.Fatalf("%s is freed twice", f.ItemID)
		}
		w.freed[f.ItemID] = true
	}
	for _, s := range w.r.Steps {
		w.ended = w.ended || s.State == run.Failed || s.State == run.Cancelled
	}
	once, fresh := w.r, w.stored()
	if w.on(w.now, what); w.out.Changed {
		w.t.Fatalf("%#v changes it twice: %+v", what, w.out)
	}
	due := w.out.Due
	w.r = fresh
	if w.on(w.now, what); w.out.Changed || !w.out.Due.Equal(due) || !reflect.DeepEqual(once, w.r) {
		w.t.Fatalf("stored and told again it is another one: %+v", w.out)
	}
}

// json is the run as it is stored.
func (w *world) json() string {
	data, err := json.Marshal(w.r)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// stored is the run as it reads back from the store.
func (w *world) stored() run.Record {
	r, err := run.Decode([]byte(w.json()))
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// started checks an order to execute something.
func (w *world) started(before run.Record, o run.Start) {
	i := slices.IndexFunc(w.r.Steps, func(s run.Step) bool { return s.ItemID == o.Order.Of.ItemID })
	s, task := w.r.Steps[i], w.r.Work.Tasks[i]
	w.tries[o.Order.ExecutionID]++
	switch {
	case before.State.Final() || w.ended:
		w.t.Fatalf("%+v goes out of a run that is %s", o, before.State)
	case after(w.now).Before(s.Start):
		w.t.Fatalf("%+v goes out before its time", o)
	case o.Order.Of.Attempt > task.Retries+1:
		w.t.Fatalf("%+v is tried %d times", o, o.Order.Of.Attempt)
	case o.Order.Timeout <= 0:
		w.t.Fatalf("%+v has no time left", o)
	}
	for _, other := range w.r.Steps {
		if slices.Contains(task.After, other.ItemID) && other.State != run.Completed {
			w.t.Fatalf("%+v goes out while %s is %s", o, other.ItemID, other.State)
		}
	}
	earlier := 0
	for _, x := range s.Executions {
		if x.NodeID == o.NodeID && x.Attempt < o.Order.Of.Attempt {
			if earlier++; x.State != execution.Failed {
				w.t.Fatalf("%+v goes out after %+v", o, x)
			}
		}
	}
	if earlier != o.Order.Of.Attempt-1 {
		w.t.Fatalf("%+v goes out after %d attempts", o, earlier)
	}
}

// startLost checks that nothing follows for what is to end from its start not having been sent.
func (w *world) startLost(before run.Record, what run.Event) {
	if e, is := what.(run.Unsendable); !is || e.End || !w.stops[e.ExecutionID] {
		return
	}
	if without, _ := run.Advance(before, run.Due{}, w.then(w.now)); !reflect.DeepEqual(without, w.r) {
		w.t.Fatalf("%+v, of what is to end, makes of it\n%+v, without\n%+v", what, w.r, without)
	}
}

// drawEvent is anything that may be told, sensible or not, or what was told before.
func (w *world) drawEvent() run.Event {
	if len(w.told) > 0 && rapid.IntRange(0, 9).Draw(w.t, "again") == 0 {
		return rapid.SampledFrom(w.told).Draw(w.t, "what again")
	}
	what := w.drawNews()
	w.told = append(w.told, what)
	return what
}

func (w *world) drawNews() run.Event {
	id := "x-unknown"
	if all := w.executions(); len(all) > 0 && rapid.IntRange(0, 20).Draw(w.t, "unknown") > 0 {
		id = rapid.SampledFrom(all).Draw(w.t, "execution")
	}
	node := "node-" + rapid.SampledFrom([]string{"m", "n", "o"}).Draw(w.t, "node")
	switch rapid.SampledFrom([]string{"due", "executed", "executed", "executed", "executed", "sent", "unsendable", "cancel", "node"}).Draw(w.t, "what") {
	case "executed":
		e := run.Executed{ExecutionID: id, NodeID: node, OrderedAt: after(w.now), State: rapid.SampledFrom([]execution.State{
			execution.Ordered, execution.Queued, execution.Starting, execution.Running, execution.Running,
			execution.Completed, execution.Completed, execution.Completed, execution.Failed, execution.Cancelled, "exploded",
		}).Draw(w.t, "state")}
		if rapid.Bool().Draw(w.t, "told when") {
			e.OverAt = after(w.now - rapid.Float64Range(0, 300).Draw(w.t, "ago"))
		}
		if e.State == execution.Failed {
			e.Word = rapid.SampledFrom([]run.Word{"", "", run.Refused, run.NodeLost}).Draw(w.t, "word")
		}
		return e
	case "sent":
		if !w.stops[id] {
			return run.Due{}
		}
		return run.Sent{ExecutionIDs: []string{id}}
	case "unsendable":
		end := w.stops[id] && rapid.Bool().Draw(w.t, "end")
		return run.Unsendable{ExecutionID: id, End: end, Word: run.NoNode, Sentence: "there is none"}
	case "cancel":
		if rapid.IntRange(0, 5).Draw(w.t, "really") == 0 {
			return run.Cancel{By: "token:u"}
		}
		return run.Due{}
	case "node":
		e := run.NodeSeen{NodeID: node, AsOf: uint64(rapid.IntRange(1, 9).Draw(w.t, "as of"))}
		if rapid.Bool().Draw(w.t, "lost") {
			e.LostAt = after(w.now)
		}
		if on := strings.TrimPrefix(node, "node-"); e.AsOf > w.nodes[on].AsOf { // who begins from now on knows it
			w.nodes[on] = run.Node{ID: node, AsOf: e.AsOf, LostAt: e.LostAt}
		}
		return e
	}
	return run.Due{}
}

func (w *world) executions() (ids []string) {
	for _, s := range w.r.Steps {
		for _, x := range s.Executions {
			ids = append(ids, x.ExecutionID)
		}
	}
	return ids
}

// TestWhateverHappens: any events in any order leave a run that holds its promises, and comes to its end in time.
func TestWhateverHappens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlot(t)
		length := p.seconds + rapid.Float64Range(0, 100).Draw(t, "tail")
		w := &world{t: t, story: begin(t, p.w, length), tries: map[string]int{}, freed: map[string]bool{}, stops: map[string]bool{}}
		for range rapid.IntRange(0, 40).Draw(t, "events") {
			if due := w.out.Due; !due.IsZero() && rapid.Bool().Draw(t, "wait") {
				w.now = max(w.now, due.Sub(noon).Seconds()+rapid.SampledFrom([]float64{0, 0, 1, 100}).Draw(t, "late"))
				w.happens(run.Due{})
				continue
			}
			w.now += rapid.Float64Range(0, 20).Draw(t, "seconds")
			w.happens(w.drawEvent())
		}
		limit := max(length, w.now) + grace.Seconds() + 1e-6 // of the last digits of a float
		for n := 0; !w.out.Due.IsZero() && !w.r.State.Final(); n++ {
			w.now = max(w.now, w.out.Due.Sub(noon).Seconds())
			w.happens(run.Due{})
			if w.now > limit || n > 1000 {
				t.Fatalf("at %v s it is still %s", w.now, w.r.State)
			}
		}
		if !w.r.State.Final() {
			t.Fatalf("it waits for nothing, %s: %+v", w.r.State, w.r.Steps)
		}
		for id, n := range w.tries {
			if n > 40 {
				t.Fatalf("%s was ordered %d times", id, n)
			}
		}
		w.checkFreed()
	})
}

// checkFreed checks that what ended early holds nothing.
func (w *world) checkFreed() {
	for _, room := range w.r.Work.Rooms {
		if at := w.r.EndedAt; at.Before(room.End) && !w.freed[room.ItemID] {
			w.t.Fatalf("%s is booked until %v, the run ended at %v: %s", room.ItemID, room.End, at, fmt.Sprint(w.r.State))
		}
	}
}
