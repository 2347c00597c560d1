package watcher

// Stats is what a Watcher has done so far.
type Stats struct {
	Running   bool
	Position  uint64 // the event behind which it stands
	Handled   uint64 // events that the handler took
	Filtered  uint64 // events that were not for it
	Skipped   uint64 // events that were given up
	Failures  uint64 // calls of the handler, or of the store, that failed
	LastError error  // of the last failure; nil after a success
}

// Stats returns a copy.
func (w *Watcher) Stats() Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stats
}

func (w *Watcher) update(f func(*Stats)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(&w.stats)
}

func (w *Watcher) failed(err error) {
	w.update(func(s *Stats) { s.Failures, s.LastError = s.Failures+1, err })
}
