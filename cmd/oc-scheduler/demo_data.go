package main

import (
	_ "embed" // the configurations of the demo's nodes, and a workflow
	"path/filepath"
	"strings"
	"time"

	"oc-scheduler/events"
	"oc-scheduler/internal/peer"
)

// demoMisses is how many heartbeats of a node go missing before it counts as lost, where its silence is bounded.
const demoMisses = 4

const demoWorkflowID, demoPipelineID = "demo-align", "demo-pipeline"

//go:embed demo-north.yaml
var demoNorth string

//go:embed demo-north-2.yaml
var demoNorth2 string

//go:embed demo-south.yaml
var demoSouth string

// demoNodes are the configurations of the nodes of two sites, by node: one site computes, one stores.
var demoNodes = map[string]string{"demo-north": demoNorth, "demo-north.2": demoNorth2, "demo-south": demoSouth}

// demoNode is one of them, with a directory below dir. It may be silent for a time; 0: as long as any.
func demoNode(name, dir string, silence time.Duration) (peer.Config, error) {
	return peer.Load(strings.NewReader(demoNodes[name]), func(cfg *peer.Config) {
		cfg.DataDir = filepath.Join(dir, name)
		cfg.Version = version
		if silence != 0 {
			cfg.Heartbeat = peer.Heartbeat{Interval: silence / demoMisses, Misses: demoMisses}
		}
	})
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

// demoPipeline runs: three steps, on two peers, within less than a minute. Of each instance it takes what the demo's
// nodes never book of their own accord.
//
//go:embed demo-pipeline.json
var demoPipeline []byte

// eachMinute is how the pipeline is booked.
const eachMinute = `{"cron": "* * * * *", "labels": {"demo": "each minute"}}`

// demoEvents make the workflows known.
func demoEvents() ([][]byte, error) {
	var list [][]byte
	for _, doc := range [][]byte{[]byte(demoWorkflow), demoPipeline} {
		event, err := events.Envelope{FromApp: "oc-workflow", Datatype: events.DatatypeWorkflow, Payload: doc}.Encode()
		if err != nil {
			return nil, err
		}
		list = append(list, event)
	}
	return list, nil
}
