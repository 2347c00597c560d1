package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"oc-scheduler/internal/app"
)

// invitation says what can be tried; commands stand alone on their lines, to be copied.
const invitation = `
oc-scheduler demo: {url}

In a second terminal, watch live answers while two peers, of three nodes, book and cancel:
  {oc} check {workflow} --duration 1h --watch{server}
  curl -N -H 'Accept: text/event-stream' '{url}/oc/{workflow}/check?duration=1h'

In a third one, while something above is watching (else the planners are dropped):
  curl '{url}/planners'
  {buckets}

At any time, one answer and the state of the replica:
  curl '{url}/oc/{workflow}/check?duration=1h&wait=5s'
  curl '{url}/readyz?verbose'

A workflow of three steps runs each minute; run it once more, and book the other one each Monday at nine:
  {oc} runs{server}
  {oc} start {pipeline} --follow{server}
  {oc} schedule {workflow} --cron '0 9 * * MON' --time-zone Europe/Paris{server}
  {oc} schedules{server}

Run something on a node, and follow its output; shut one out, and watch the answers change:
  {oc} nodes{server}
  {oc} run demo-north{server} -- sleep 10
  {oc} nodes reject demo-north{server}
  {oc} nodes approve demo-north{server}
{killing}
nats is https://github.com/nats-io/natscli. Ctrl-C ends the demo.

`

// invite prints the invitation.
func invite(con *console, replica *app.Replica) error {
	url, nats := replica.URL(), replica.NATSURL()
	server, killing := "", ""
	if url != "http://127.0.0.1:8080" {
		server = " --server " + url
	}
	buckets := "(--nats-listen is off: no NATS client can look into the buckets)"
	if nats != "" { // then the nodes are processes of their own
		buckets = fmt.Sprintf("nats --server %s kv watch planners", nats)
		killing = fmt.Sprintf("\nKill a node, which then is seen to leave within %v and comes back after %v:\n  pkill -KILL -f 'demo-peer demo-north '\n", silentFor, deadFor)
	}
	_, err := io.WriteString(con.stdout, strings.NewReplacer("{oc}", programName(), "{url}", url, "{server}", server, "{workflow}", demoWorkflowID,
		"{pipeline}", demoPipelineID, "{buckets}", buckets, "{killing}", killing).Replace(invitation))
	return err
}

// programName is how the reader called this program.
func programName() string { return os.Args[0] }
