package run

import "oc-scheduler/store/history"

// History is the log of the run as histories have it.
func (r *Record) History() history.Log {
	log := make(history.Log, len(r.Work.Log))
	for i, it := range r.Work.Log {
		log[i] = history.Item{
			Seq: it.Seq, At: it.At, Kind: history.Kind(it.Kind), ItemID: it.ItemID,
			From: string(it.From), To: string(it.To), Reason: it.Reason, By: it.By,
		}
	}
	return log
}
