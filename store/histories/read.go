package histories

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/synadia-io/orbit.go/jetstreamext"

	"oc-scheduler/store/history"
	"oc-scheduler/store/kv"
)

// readAtOnce are read with one request.
const readAtOnce = 256

// Read returns what follows an item in the history of a thing, so many items at most. It fails with kv.ErrUnavailable.
func (h *Histories) Read(ctx context.Context, kind history.Kind, of string, after, limit int) (history.Log, error) {
	var log history.Log
	for next := uint64(1); ; {
		read := 0
		attempt, cancel := context.WithTimeout(ctx, kv.AttemptTimeout)
		found, err := jetstreamext.GetBatch(attempt, h.js, Stream, readAtOnce,
			jetstreamext.GetBatchSubject(Subject(kind, of)), jetstreamext.GetBatchSeq(next))
		if err != nil {
			cancel()
			return nil, away(err)
		}
		for m, fault := range found {
			if fault != nil {
				err = fault
				break
			}
			read, next = read+1, m.Sequence+1
			var it history.Item
			if json.Unmarshal(m.Data, &it) == nil && it.Seq > after && len(log) < limit {
				log = append(log, it)
			}
		}
		cancel()
		switch {
		case errors.Is(err, jetstreamext.ErrNoMessages):
			return log, nil
		case err != nil:
			return nil, away(err)
		case len(log) == limit || read < readAtOnce:
			return log, nil
		}
	}
}
