package main

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"oc-scheduler/client"
)

type workflowsCmd struct {
	List   workflowsListCmd   `cmd:"" default:"withargs" help:"List the workflows that a replica knows."`
	Show   workflowsShowCmd   `cmd:"" help:"Show a workflow: its steps, and what they need."`
	Put    workflowsPutCmd    `cmd:"" help:"Make a workflow of a file, or another one of it that is there."`
	Remove workflowsRemoveCmd `cmd:"" help:"Remove a workflow; its schedules end."`
}

type workflowsListCmd struct {
	serverFlags
	watched `embed:"" group:"What is listed:"`
}

// Run lists the workflows.
func (c *workflowsListCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	return list{from: every(replica.ListWorkflows), header: "WORKFLOW NAME ITEMS PEERS", row: workflowRow, watched: c.watched}.print(ctx, c.printer(con))
}

// workflowDoc is a workflow as a replica shows it.
type workflowDoc client.Workflow

// needOf is what an item is of a peer, and which kind of it; nil: it is a step, or nothing that is known.
func needOf(it client.WorkflowItem) (kind string, need *client.WorkflowNeed) {
	if it.Compute != nil {
		return "compute", it.Compute
	}
	return "storage", it.Storage
}

func peerOf(n *client.WorkflowNeed) string { return cmp.Or(n.PeerID, n.CreatorID) }

func workflowRow(item json.RawMessage) ([]any, error) {
	var w workflowDoc
	err := json.Unmarshal(item, &w)
	peers := map[string]bool{}
	for _, it := range w.Graph.Items {
		if _, n := needOf(it); n != nil {
			peers[peerOf(n)] = true
		}
	}
	return []any{w.ID, w.Name, len(w.Graph.Items), strings.Join(slices.Sorted(maps.Keys(peers)), ",")}, err
}
