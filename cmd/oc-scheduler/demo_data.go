package main

import (
	"time"

	"oc-scheduler/events"
	"oc-scheduler/internal/peer"
)

const demoWorkflowID = "demo-align"

// demoPeers are two sites: one computes, one stores.
func demoPeers() []peer.Config {
	return []peer.Config{
		{
			PeerID: "demo-north", Every: 3 * time.Second,
			Capacities: peer.Capacities{"gpu-cluster": {
				"i0": {"cpu_cores": 64, "gpus": 8, "ram_gb": 512},
				"i1": {"cpu_cores": 32, "gpus": 4, "ram_gb": 256},
			}},
		},
		{
			PeerID: "demo-south", Every: 5 * time.Second,
			Capacities: peer.Capacities{"archive": {"s0": {"storage_gb": 4000}}},
		},
	}
}

// demoWorkflow is what has to run: an hour on three GPUs, and room for the result.
const demoWorkflow = `{
  "id": "` + demoWorkflowID + `", "name": "align reads",
  "graph": {
    "items": {
      "align":  {"processing": {"id": "align", "duration_s": 3600}},
      "gpus":   {"compute": {"id": "gpu-cluster", "peer_id": "demo-north", "demand": {"gpus": 3, "ram_gb": 160}}},
      "result": {"storage": {"id": "archive", "peer_id": "demo-south", "demand": {"storage_gb": 1200}}}
    },
    "links": [{"source": "align", "destination": "gpus"}, {"source": "align", "destination": "result"}]
  }
}`

// demoEvent makes the workflow known.
func demoEvent() ([]byte, error) {
	return events.Envelope{FromApp: "oc-workflow", Datatype: events.DatatypeWorkflow, Payload: []byte(demoWorkflow)}.Encode()
}
