package doctor

import (
	"context"
	"fmt"
	"time"

	"oc-scheduler/store"
)

// knocking is how long after a refusal a program may still be there that asks to be let in.
const knocking = 10 * time.Minute

// nodes looks for programs that are not let in as a node because another one is.
func (e *exam) nodes(ctx context.Context) {
	total := 0
	var refused []string
	for r, err := range store.ReadNodes(ctx, e.js) {
		if err != nil {
			e.unreadable(err)
			return
		}
		total++
		if away := r.Value.Refused; away != nil && e.Now().Sub(away.At) < knocking {
			refused = append(refused, fmt.Sprintf("%s at %s: %s", r.Key.ID(), away.At.UTC().Format(time.RFC3339), away.Reason))
		}
	}
	if len(refused) > 0 {
		e.warn(fmt.Sprintf("%s with a program that is refused: %s", counted(len(refused), "node"), some(refused)),
			"give each program a node id and a data_dir of its own; `oc-scheduler nodes approve NODE` lets the refused one take over")
		return
	}
	e.ok("%s, no program is refused", counted(total, "node"))
}
