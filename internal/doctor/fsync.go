package doctor

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// varz is what a NATS server's monitoring port tells (nats-server, Varz).
type varz struct {
	Name      string `json:"server_name"`
	JetStream struct {
		Config *struct {
			SyncInterval time.Duration `json:"sync_interval"` // nanoseconds
			SyncAlways   bool          `json:"sync_always"`
			MaxStore     int64         `json:"max_storage"`
		} `json:"config"`
		Stats struct {
			Store uint64 `json:"storage"`
		} `json:"stats"`
	} `json:"jetstream"`
}

// monitors asks what only the monitoring ports tell: an ordinary account gets no such answer.
func (e *exam) monitors(ctx context.Context) {
	if len(e.Monitors) == 0 {
		e.unknown("whether writes are on disk when they are acknowledged", "give --nats-monitor URL of each server (`http_port: 8222` in nats.conf; the embedded server always syncs)")
	}
	for _, address := range e.Monitors {
		var v varz
		status, _, err := fetch(ctx, address, "", "varz", "", &v)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("status %d", status)
		}
		if err != nil {
			e.unknown(fmt.Sprintf("%s: %v", shown(address), err), "give the address of `http_port` in that server's nats.conf")
			continue
		}
		e.fsync(v)
		e.nodeAccounts(ctx, address)
	}
}

func (e *exam) fsync(v varz) {
	js := v.JetStream.Config
	switch {
	case js == nil:
		e.fail(v.Name+": JetStream is not enabled", "a `jetstream { store_dir: … }` block in nats.conf")
		return
	case js.SyncAlways:
		e.ok("%s: each write is on disk when it is acknowledged", v.Name)
	default:
		e.warn(fmt.Sprintf("%s: writes reach the disk every %v; a power cut loses what was acknowledged since", v.Name, js.SyncInterval),
			"`sync_interval: always` in the jetstream block of nats.conf, then restart the servers one by one")
	}
	if js.MaxStore > 0 {
		e.storage(v.Name+": max_file_store", v.JetStream.Stats.Store, js.MaxStore)
	}
}
