package main

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
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
	client, err := c.client(con)
	if err != nil {
		return err
	}
	return list{path: "oc", header: "WORKFLOW NAME ITEMS PEERS", row: workflowRow, watched: c.watched}.print(ctx, client, c.printer(con))
}

// workflowDoc is a workflow as a replica shows it.
type workflowDoc struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Graph struct {
		Items map[string]itemDoc `json:"items"`
		Links []struct {
			Source      string `json:"source"`
			Destination string `json:"destination"`
		} `json:"links"`
	} `json:"graph"`
}

// itemDoc is a part of a workflow: a step, or what steps need.
type itemDoc struct {
	Processing *stepDoc `json:"processing"`
	Compute    *needDoc `json:"compute"`
	Storage    *needDoc `json:"storage"`
}

type needDoc struct {
	ID        string  `json:"id"`
	PeerID    string  `json:"peer_id"`
	CreatorID string  `json:"creator_id"`
	Demand    amounts `json:"demand"`
}

func (n *needDoc) peer() string { return cmp.Or(n.PeerID, n.CreatorID) }

// need is what the item is of a peer, and which kind of it; nil: it is a step, or nothing that is known.
func (it itemDoc) need() (kind string, need *needDoc) {
	if it.Compute != nil {
		return "compute", it.Compute
	}
	return "storage", it.Storage
}

func workflowRow(item json.RawMessage) ([]any, error) {
	var w workflowDoc
	err := json.Unmarshal(item, &w)
	peers := map[string]bool{}
	for _, it := range w.Graph.Items {
		if _, n := it.need(); n != nil {
			peers[n.peer()] = true
		}
	}
	return []any{w.ID, w.Name, len(w.Graph.Items), strings.Join(slices.Sorted(maps.Keys(peers)), ",")}, err
}
