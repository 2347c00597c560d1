package doctor

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nats-io/nats.go"
)

// traceEvent is what a server tells of a message whose way it traces (nats-server, MsgTraceEvent).
// The first event is its arrival at the server.
type traceEvent struct {
	Events []struct {
		Type    string `json:"type"`
		Kind    int    `json:"kind"` // of the sender; 0: a client
		Subject string `json:"subj"`
		Error   string `json:"error"`
	} `json:"events"`
}

// trace asks the server on which of the subjects this connection may not publish. It sends a message
// on each that the server judges and tells about, and neither delivers nor stores (nats-server ≥
// 2.11, Nats-Trace-Only). It fails with nats.ErrPermissionViolation when the connection may not
// subscribe to inboxes, and in time when the server does not tell, which it can't where the
// connection may not publish on inboxes.
func trace(ctx context.Context, nc *nats.Conn, subjects []string) (denied []string, err error) {
	inbox := nc.NewInbox()
	sub, err := nc.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer func() { _ = sub.Unsubscribe() }() // it fails when the connection is gone, and it with it
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := nc.FlushWithContext(ctx); err != nil {
		return nil, err
	}
	if err := nc.LastError(); err != nil { // the server has refused the subscription
		return nil, err
	}
	open := map[string]bool{}
	for _, subject := range subjects {
		open[subject] = true
		m := nats.NewMsg(subject)
		m.Header.Set("Nats-Trace-Dest", inbox)
		m.Header.Set("Nats-Trace-Only", "true")
		if err := nc.PublishMsg(m); err != nil {
			return nil, err
		}
	}
	for len(open) > 0 {
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			return nil, err
		}
		var told traceEvent
		if err := json.Unmarshal(m.Data, &told); err != nil {
			return nil, fmt.Errorf("trace event: %w", err)
		}
		if len(told.Events) == 0 || told.Events[0].Kind != 0 || !open[told.Events[0].Subject] {
			continue // from a server further on the way
		}
		arrival := told.Events[0]
		delete(open, arrival.Subject)
		if arrival.Error != "" {
			denied = append(denied, arrival.Subject)
		}
	}
	return denied, nil
}
