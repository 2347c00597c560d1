package orchestrator

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"oc-scheduler/store/execution"
	"oc-scheduler/streams/nclprotocol"
)

// courierEvery is how often orders are looked for that nobody is known to have sent.
const courierEvery = 2 * time.Second

// courier sends the orders of executions that are on record and whose sender died, or could not know,
// before it was noted that they were sent. A node that gets an order twice obeys it once.
type courier struct {
	orders *Orders
	open   *open
	desk   *desk
	after  time.Duration // how long the first sender has
	log    *slog.Logger
}

func unsent(e execution.Execution) bool {
	return e.State == execution.Ordered && e.SentAs == 0 && len(e.Order) > 0
}

// round sends what is overdue to the nodes of this replica's partitions, the oldest first.
func (c *courier) round(ctx context.Context) {
	for _, e := range c.overdue(c.orders.store.Now()) {
		err := c.send(ctx, e)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			c.log.WarnContext(ctx, "an order is still not sent, trying again", "execution_id", e.ExecutionID, "node_id", e.NodeID, "error", err)
			continue
		}
		c.log.InfoContext(ctx, "order sent that was left over", "execution_id", e.ExecutionID, "node_id", e.NodeID)
	}
}

func (c *courier) overdue(now time.Time) []execution.Execution {
	return c.open.list(func(e execution.Execution) bool {
		return unsent(e) && now.Sub(e.OrderedAt) > c.after && c.desk.holds(e.NodeID)
	})
}

func (c *courier) send(ctx context.Context, e execution.Execution) error {
	var order nclprotocol.RunExecution
	if err := json.Unmarshal(e.Order, &order); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	return c.orders.dispatch(ctx, e.NodeID, order)
}
