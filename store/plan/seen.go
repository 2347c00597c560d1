package plan

import (
	"oc-scheduler/store/kv"
	"oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
)

// SeenRun is a run as this replica has seen it of late, and its revision, without asking for it. It may have changed since:
// what is decided on it, a compare-and-swap has to follow.
func (p *Plan) SeenRun(id string) (r run.Record, revision uint64, ok bool) {
	return seen(p, p.runs, p.runKeys, id, DecodeRun)
}

// SeenSchedule is a schedule likewise.
func (p *Plan) SeenSchedule(id string) (r schedule.Record, revision uint64, ok bool) {
	return seen(p, p.list, p.schedules, id, DecodeSchedule)
}

// SeenTimer is the timer of a schedule or run likewise, at least as new as what was stored with a revision. Without
// knowledge of one it is false, and for one that may have fired: then the server removes it without a word.
func (p *Plan) SeenTimer(id string, with uint64) (kv.Message, bool) {
	if p.Seen() < with {
		return kv.Message{}, false
	}
	key := kv.KeyOf(id)
	m, ok := p.timers.get(key)
	if ok && m.Live() {
		fires, err := DecodeTimer(key, m)
		ok = err == nil && p.Now().Before(fires)
	}
	return m, ok
}

func seen[L, T any](p *Plan, view *kv.View[L], keys *kv.Keys, id string, decode kv.Decode[T]) (value T, revision uint64, ok bool) {
	key := kv.KeyOf(id)
	e, stands := view.At(key)
	if !stands {
		return value, 0, false
	}
	m, kept := p.records.get(keys.Prefix+string(key), e.Revision)
	if !kept {
		return value, 0, false
	}
	value, err := decode(key, m)
	return value, e.Revision, err == nil
}
