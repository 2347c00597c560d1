package doctor

import (
	"context"
	"fmt"
	"time"

	"oc-scheduler/store"
	"oc-scheduler/store/planners"
)

// planners looks at how long planners live, and at the clocks of those who generate them.
func (e *exam) planners(ctx context.Context) {
	var endless, ahead, farAhead []string
	all := 0
	for r, err := range store.ReadPlanners(ctx, e.js) {
		if err != nil {
			e.unreadable(err)
			return
		}
		all++
		if !r.HasTTL {
			endless = append(endless, string(r.Key))
		}
		if r.Err != nil {
			continue // told with the other broken values
		}
		switch by := r.Value.GeneratedAt().Sub(r.Value.ReceivedAt); {
		case by > planners.MaxAhead:
			farAhead = append(farAhead, fmt.Sprintf("%s by %v", r.Key.ID(), by.Round(time.Second)))
		case by > skewNoticed:
			ahead = append(ahead, fmt.Sprintf("%s by %v", r.Key.ID(), by.Round(time.Millisecond)))
		}
	}
	if len(endless) > 0 {
		e.warn(fmt.Sprintf("%s without TTL: %s", counted(len(endless), "planner"), some(endless)),
			"a living replica gives each that can be read its TTL within a second: start one; else "+e.each("kv del planners", endless, "-f")+". To write by hand: nats pub '$KV.planners.KEY' -H 'Nats-TTL: 24h'")
	}
	if len(farAhead) > 0 {
		e.warn(fmt.Sprintf("generated_at lies more than %.0f min ahead, so the arrival counts: %s", planners.MaxAhead.Minutes(), some(farAhead)), "set the clocks of these peers (NTP)")
	}
	if len(ahead) > 0 {
		e.warn("generated_at lies ahead of the arrival: "+some(ahead), "set the clocks of these peers (NTP)")
	}
	if len(endless)+len(farAhead)+len(ahead) == 0 {
		e.ok("%s, each with a TTL, none from the future", counted(all, "planner"))
	}
}
