package rights

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
// 2.11, Nats-Trace-Only). It fails, in time, when the server does not tell.
func trace(ctx context.Context, nc *nats.Conn, needed []Right) (denied []Right, err error) {
	inbox := nc.NewInbox()
	sub, err := nc.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer func() { _ = sub.Unsubscribe() }() // it fails when the connection is gone, and it with it
	open := map[string]Right{}
	for _, r := range needed {
		open[r.tried] = r
		m := nats.NewMsg(r.tried)
		m.Header.Set("Nats-Trace-Dest", inbox)
		m.Header.Set("Nats-Trace-Only", "true")
		if err := nc.PublishMsg(m); err != nil {
			return nil, err
		}
	}
	for len(open) > 0 {
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			return denied, err
		}
		var told traceEvent
		if err := json.Unmarshal(m.Data, &told); err != nil {
			return denied, fmt.Errorf("trace event: %w", err)
		}
		if len(told.Events) == 0 || told.Events[0].Kind != 0 {
			continue // from a server further on the way
		}
		arrival := told.Events[0]
		r, asked := open[arrival.Subject]
		if delete(open, arrival.Subject); asked && arrival.Error != "" {
			denied = append(denied, r)
		}
	}
	return denied, nil
}
