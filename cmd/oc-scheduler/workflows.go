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
	serverFlags
}

// Run lists the workflows.
func (c *workflowsCmd) Run(ctx context.Context, con *console) error {
	client, err := c.client(con)
	if err != nil {
		return err
	}
	return list{path: "oc", header: "WORKFLOW NAME ITEMS PEERS", row: workflowRow}.print(ctx, client, con, c.Output)
}

func workflowRow(item json.RawMessage) ([]any, error) {
	type need struct {
		PeerID    string `json:"peer_id"`
		CreatorID string `json:"creator_id"`
	}
	var wf struct {
		ID    string `json:"id"`
		Name  string `json:"name"`
		Graph struct {
			Items map[string]struct {
				Compute *need `json:"compute"`
				Storage *need `json:"storage"`
			} `json:"items"`
		} `json:"graph"`
	}
	err := json.Unmarshal(item, &wf)
	peers := map[string]bool{}
	for _, it := range wf.Graph.Items {
		for _, n := range []*need{it.Compute, it.Storage} {
			if n != nil {
				peers[cmp.Or(n.PeerID, n.CreatorID)] = true
			}
		}
	}
	return []any{wf.ID, wf.Name, len(wf.Graph.Items), strings.Join(slices.Sorted(maps.Keys(peers)), ",")}, err
}
