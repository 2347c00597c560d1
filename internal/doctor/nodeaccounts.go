package doctor

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// connz is who is connected to a NATS server, as its monitoring port tells (nats-server, Connz).
type connz struct {
	Connections []struct {
		Name    string `json:"name"`
		Account string `json:"account"`
	} `json:"connections"`
}

// What programs of ours call their connections.
const ours, ofNode = "oc-scheduler ", "oc-scheduler node "

// nodeAccounts notes which nodes could have the server's answers to them stored in place of what replicas keep: those
// in the account of a replica, or of this command.
func (e *exam) nodeAccounts(ctx context.Context, address string) {
	var c connz
	if status, _, err := fetch(ctx, address, "", "connz", "auth=true&limit=100000", &c); err != nil || status != http.StatusOK {
		return // told of the server already
	}
	for _, conn := range c.Connections {
		nodeID, isNode := strings.CutPrefix(conn.Name, ofNode)
		switch {
		case isNode:
			e.nodesIn = append(e.nodesIn, [2]string{conn.Account, nodeID})
		case strings.HasPrefix(conn.Name, ours):
			e.replicasIn = append(e.replicasIn, conn.Account)
		}
	}
}

// couldNodes tells what the nodes that are connected could do to others.
func (e *exam) couldNodes(context.Context) {
	if len(e.nodesIn) == 0 {
		return
	}
	var could []string
	for _, n := range e.nodesIn {
		if slices.Contains(e.replicasIn, n[0]) {
			could = append(could, n[1])
		}
	}
	if len(could) == 0 {
		e.ok("%s, each in an account apart from the replicas'", counted(len(e.nodesIn), "connected node"))
		return
	}
	e.warn(fmt.Sprintf("%s in the account of the replicas: %s; each could name a subject of a bucket, of another node or of JetStream's API as its reply subject, and the server's answer is stored, or obeyed, there",
		counted(len(could), "connected node"), some(could)),
		"give each node an account of its own, as deploy/nats.conf does: `oc-scheduler nats-config --node NODE …` prints them")
}
