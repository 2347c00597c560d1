package doctor

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// readiness is the answer to /readyz?verbose, ready or not.
type readiness struct {
	Checks []struct {
		Name   string   `json:"name"`
		OK     bool     `json:"ok"`
		Detail string   `json:"detail"`
		Notes  []string `json:"notes"`
	} `json:"checks"`
}

// replica asks one replica how it is.
func (e *exam) replica(ctx context.Context) {
	var told readiness
	status, date, err := fetch(ctx, e.Replica, "readyz", "verbose", &told)
	if err == nil && len(told.Checks) == 0 {
		err = fmt.Errorf("status %d, not an answer of oc-scheduler", status)
	}
	if err != nil {
		e.fail(fmt.Sprintf("%s: %v", shown(e.Replica), err), "start it (`oc-scheduler serve`), or mend --server")
		return
	}
	for _, c := range told.Checks {
		if !c.OK {
			e.fail(fmt.Sprintf("not ready: %s: %s", c.Name, c.Detail), "it retries by itself; what it waits for stands above or in its log")
		}
		if len(c.Notes) > 0 {
			e.warn(fmt.Sprintf("%s: %s", c.Name, strings.Join(c.Notes, "; ")), "`nats kv get BUCKET KEY --raw` shows it; write it anew, or `nats kv del BUCKET KEY`")
		}
	}
	if status == http.StatusOK {
		e.ok("%s is ready", shown(e.Replica))
	}
	if !date.IsZero() {
		e.skew("the replica's clock", date.Add(time.Second/2).Sub(e.Now()), time.Second)
	}
}
