package main

import (
	"fmt"
	"os"

	"oc-scheduler/internal/app"
)

// invite says what can be tried; commands stand alone on their lines, to be copied.
func invite(con *console, replica *app.Replica) error {
	url, nats := replica.URL(), replica.NATSURL()
	server := ""
	if url != "http://127.0.0.1:8080" {
		server = " --server " + url
	}
	buckets := "(--nats-listen is off: no NATS client can look into the buckets)"
	if nats != "" {
		buckets = fmt.Sprintf("nats --server %s kv watch planners", nats)
	}
	_, err := fmt.Fprintf(con.stdout, `
oc-scheduler demo: %s

In a second terminal, watch live answers while two peers, of three nodes, book and cancel:
  %s check %s --duration 1h --watch%s
  curl -N -H 'Accept: text/event-stream' '%s/oc/%s/check?duration=1h'

In a third one, while something above is watching (else the planners are dropped):
  curl '%s/planners'
  %s

At any time, one answer and the state of the replica:
  curl '%s/oc/%s/check?duration=1h&wait=5s'
  curl '%s/readyz?verbose'

Book the workflow each Monday at nine, and look at what is booked:
  %s schedule %s --cron '0 9 * * MON' --time-zone Europe/Paris%s
  %s schedules%s

Run something on a node, and follow its output; shut one out, and watch the answers change:
  %s nodes%s
  %s run demo-north%s -- sleep 10
  %s nodes reject demo-north%s
  %s nodes approve demo-north%s
%s
nats is https://github.com/nats-io/natscli. Ctrl-C ends the demo.

`, url, programName(), demoWorkflowID, server, url, demoWorkflowID, url, buckets, url, demoWorkflowID, url,
		programName(), demoWorkflowID, server, programName(), server, programName(), server, programName(), server, programName(), server, programName(), server, killing(nats != ""))
	return err
}

// killing says how a node is killed that is a process of its own.
func killing(processes bool) string {
	if !processes {
		return ""
	}
	return fmt.Sprintf(`
Kill a node, which then is seen to leave within %v and comes back after %v:
  pkill -KILL -f 'demo-peer demo-north '
`, silentFor, deadFor)
}

// programName is how the reader called this program.
func programName() string { return os.Args[0] }
