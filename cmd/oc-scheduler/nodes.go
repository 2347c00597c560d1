package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"oc-scheduler/client"
)

type nodesCmd struct {
	List    nodesListCmd    `cmd:"" default:"withargs" help:"List the compute nodes, or show one."`
	Show    nodesShowCmd    `cmd:"" help:"Show a node."`
	Approve nodesApproveCmd `cmd:"" help:"Let a node take part; of one that does, let the program take over that was refused last."`
	Reject  nodesRejectCmd  `cmd:"" help:"Shut a node out: it gets no new orders, and what it offers counts no more; what runs there goes on."`
	Remove  nodesRemoveCmd  `cmd:"" help:"Forget a node, and end what it had to run; one that still runs introduces itself again within a heartbeat."`
}

type nodesListCmd struct {
	serverFlags
	Node    string `arg:"" type:"ident" optional:"" help:"Show this one: nodes show NODE."`
	watched `embed:"" group:"What is listed:"`
}

type nodesShowCmd struct {
	serverFlags
	Node string `arg:"" type:"ident" help:"The node."`
}

// Help tells of what is beside the list.
func (*nodesListCmd) Help() string {
	return "`nodes approve NODE` lets a node take part, `nodes reject NODE` shuts it out, `nodes remove NODE` forgets it."
}

// nodeDoc is a node as a replica shows it.
type nodeDoc client.Node

// offered is how much a node offers, and what is booked of it; empty: it offers nothing.
func (n *nodeDoc) offered() string {
	if n.Offer == nil {
		return ""
	}
	return fmt.Sprintf("%d, %d booked", n.Offer.Instances, n.Offer.Slots)
}

// Run lists the nodes, or shows one.
func (c *nodesListCmd) Run(ctx context.Context, con *console) error {
	if c.Node != "" {
		return (&nodesShowCmd{c.serverFlags, c.Node}).Run(ctx, con)
	}
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	return list{
		from: every(replica.ListNodes), header: "NODE PEER MEMBERSHIP STATE OFFERS SINCE VERSION REFUSED", row: nodeRow, watched: c.watched,
	}.print(ctx, c.printer(con))
}

// Run shows a node.
func (c *nodesShowCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	var was client.Answer
	if _, err := replica.GetNode(ctx, c.Node, client.Into(&was)); err != nil {
		return about(err, "node", c.Node)
	}
	return printDoc(c.printer(con), was.Body, (*nodeDoc).print)
}

func nodeRow(item json.RawMessage) ([]any, error) {
	var n nodeDoc
	err := json.Unmarshal(item, &n)
	return []any{n.NodeID, n.Info.PeerID, n.Membership, n.State, n.offered(), rough(n.Since), n.Info.Version, n.refusal()}, err
}

// refusal is why another program was not let in as this node; empty: none was.
func (n *nodeDoc) refusal() string {
	if n.Refused == nil {
		return ""
	}
	return fmt.Sprintf("%s: %s", n.Refused.At.UTC().Format(time.RFC3339), n.Refused.Reason)
}

// print shows one node, a line for each thing that is known of it.
func (n *nodeDoc) print(w *paper) error {
	t := newTable(w, "")
	t.row("node", n.NodeID)
	t.row("peer", n.Info.PeerID)
	t.row("version", n.Info.Version)
	t.row("membership", n.Membership)
	t.row("state", strings.TrimSuffix(n.State+": "+n.Reason, ": "))
	t.row("since", n.Since)
	if n.Refused != nil {
		t.row("refused", n.refusal())
	}
	if n.Successor != nil {
		t.row("may take over", "the program with ledger "+n.Successor.Ledger)
	}
	t.row("connections", n.Generation)
	if n.Ledger != "" { // else it has none, or it is not for who asks
		t.row("ledger", n.Ledger)
		t.row("last event", n.LastNodeSequence)
		t.row("last order", n.LastSchedulerSequence)
	}
	for _, resource := range slices.Sorted(maps.Keys(n.Info.Resources)) {
		instances := n.Info.Resources[resource]
		for _, instance := range slices.Sorted(maps.Keys(instances)) {
			t.row("has", resource+"/"+instance+": "+amountsText(instances[instance]))
		}
	}
	n.printOffer(t)
	t.row("free", amountsText(n.Free))
	t.row("queued", amountsText(n.Queued))
	for _, label := range slices.Sorted(maps.Keys(n.Info.Labels)) {
		t.row("label", label+"="+n.Info.Labels[label])
	}
	return t.flush()
}

// printOffer adds what the node offers, and what is wrong with that.
func (n *nodeDoc) printOffer(t *table) {
	if n.Offer != nil {
		for _, resource := range slices.Sorted(maps.Keys(n.Offer.Capacities)) {
			for _, instance := range slices.Sorted(maps.Keys(n.Offer.Capacities[resource])) {
				t.row("offers", fmt.Sprintf("%s/%s: %v", resource, instance, n.Offer.Capacities[resource][instance]))
			}
		}
		t.row("booked", fmt.Sprintf("slots %d", n.Offer.Slots))
		for _, w := range n.Offer.Warnings {
			t.row("warning", w)
		}
	}
	if n.OfferRefused != nil {
		t.row("offer refused", n.OfferRefused.Reason)
	}
}

func amountsText(amounts map[string]float64) string {
	parts := make([]string, 0, len(amounts))
	for _, name := range slices.Sorted(maps.Keys(amounts)) {
		parts = append(parts, fmt.Sprintf("%s %v", name, amounts[name]))
	}
	return strings.Join(parts, ", ")
}
