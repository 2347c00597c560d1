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
	status, date, err := fetch(ctx, e.Replica, e.Token, "readyz", "verbose", &told)
	if err == nil && len(told.Checks) == 0 {
		err = fmt.Errorf("status %d, not an answer of oc-scheduler", status)
	}
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		e.unknown(shown(e.Replica)+" shows its state to operators alone", "give OC_TOKEN or --token-file a token of the role operator")
		return
	}
	if err != nil {
		e.fail(fmt.Sprintf("%s: %v", shown(e.Replica), err), "start it (`oc-scheduler serve`), or mend --server")
		return
	}
	e.unready(told)
	for _, c := range told.Checks {
		if len(c.Notes) == 0 {
			continue
		}
		var keys []string
		for _, note := range c.Notes {
			key, _, _ := strings.Cut(note, ": ")
			keys = append(keys, strings.TrimPrefix(c.Name, "view ")+" "+key)
		}
		e.warn(fmt.Sprintf("%s: %s", c.Name, strings.Join(c.Notes, "; ")), e.each("kv get", keys, "--raw")+" shows it; write it anew, or "+e.each("kv del", keys, "-f"))
	}
	if status == http.StatusOK {
		e.ok("%s is ready", shown(e.Replica))
	}
	if !date.IsZero() {
		e.skew("the replica's clock", date.Add(time.Second/2).Sub(e.Now()), time.Second)
	}
}

// unready tells why a replica is not ready: what comes first is what all the rest waits for, but for checks
// of the same kind that fail beside each other.
func (e *exam) unready(told readiness) {
	first := cause(0)
	for _, c := range told.Checks {
		what := fmt.Sprintf("not ready: %s: %s", c.Name, c.Detail)
		switch {
		case c.OK:
		case first == 0 && (c.Name == "nats" || c.Name == "engine") && e.follows(e.away, shown(e.Replica)+" is "+what):
			first = e.away
		case e.follows(first, what):
		case strings.HasPrefix(c.Name, "view "):
			e.once("views", Fail, what, mendUnready)
		default:
			e.fail(what, mendUnready)
			if c.Name == "nats" || c.Name == "engine" {
				first = e.last()
			}
		}
	}
}

const mendUnready = "it retries by itself; what it waits for stands above or in its log"
