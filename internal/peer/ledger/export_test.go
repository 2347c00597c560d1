package ledger

// SnapshotEvery has snapshots made more often.
func (l *Ledger) SnapshotEvery(events uint64) { l.every = events }
