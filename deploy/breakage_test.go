//go:build compose

package deploy_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/coder/websocket"
	"github.com/nats-io/nats.go"
)

// replicaKilled: its streams come back on the others.
func (f *fleet) replicaKilled() {
	f.t.Helper()
	had := f.open("scheduler-2")
	before := endings(f.all())
	f.kill("scheduler-2")
	f.eventually("the streams of the dead replica end", func() bool { return endings(f.all())[-1] >= before[-1]+had })
	f.current()
	f.say("replica scheduler-2 killed: its %d streams came back by themselves, the last one after %.2fs", had, longestGap(f.all()).Seconds())
	if lost := endings(f.all())[-1] - before[-1]; lost != had {
		f.t.Errorf("%d streams were cut, the dead replica had %d", lost, had)
	}
	f.publish("one replica down", "scheduler-2")
}

// nodeKilled takes the node that leads the planners' bucket: the worst one to lose.
func (f *fleet) nodeKilled() {
	f.t.Helper()
	var leader string
	f.eventually("the planners' bucket has a leader", func() bool { leader = f.operator.leader("KV_planners"); return leader != "" })
	before := endings(f.all())
	f.kill(leader)
	f.publish("NATS node "+leader+" killed, leader of the planners' bucket", "scheduler-2")
	if now := endings(f.all()); now[-1] != before[-1] || now[websocket.StatusInternalError] != 0 {
		f.t.Errorf("streams ended with a NATS node: %v, before %v", now, before)
	}
	f.say("no stream was closed by it")
}

// allReturn starts what was killed.
func (f *fleet) allReturn() {
	f.t.Helper()
	f.run("up", "-d", "--no-build")
	took := f.eventually("nodes are healthy and replicas ready", func() bool {
		for _, url := range f.monitor {
			if !f.answers(url + "/healthz") {
				return false
			}
		}
		for _, url := range f.doors() {
			if !f.answers(url + "/readyz") {
				return false
			}
		}
		return true
	})
	f.say("both are back: three nodes healthy, three replicas ready after %.1fs", took.Seconds())
	f.publish("all back")
}

// replicaDrained stops a replica as an operator does.
func (f *fleet) replicaDrained() {
	f.t.Helper()
	had := f.open("scheduler-1")
	before := endings(f.all())
	f.run("stop", "scheduler-1")
	if code := f.exitCode("scheduler-1"); code != "0" {
		f.t.Errorf("the drained replica exited with %s", code)
	}
	f.current()
	now := endings(f.all())
	if told := now[websocket.StatusServiceRestart] - before[websocket.StatusServiceRestart]; told != had || now[-1] != before[-1] {
		f.t.Errorf("%d of %d streams were closed with 1012, %d without a code", told, had, now[-1]-before[-1])
	}
	f.say("replica scheduler-1 stopped: all its %d streams were closed with 1012, none was cut, all came back, the last one after %.2fs, exit code 0",
		had, longestGap(f.all()).Seconds())
	f.publish("one replica stopped", "scheduler-1")
	f.run("start", "scheduler-1")
	f.eventually("scheduler-1 is ready again", func() bool { return f.answers(f.replica["scheduler-1"] + "/readyz") })
}

// natsAway takes all of NATS away: what is known is still told, nothing is taken in.
func (f *fleet) natsAway() {
	f.t.Helper()
	before := endings(f.all())
	f.run("kill", "-s", "SIGKILL", nodes[0], nodes[1], nodes[2])
	f.eventually("replicas say that they are not ready", func() bool {
		for _, r := range replicas {
			if status, _, _ := f.get(f.replica[r] + "/readyz"); status != http.StatusServiceUnavailable {
				return false
			}
		}
		return true
	})
	var age string
	f.eventually("the balancer still answers reads", func() bool {
		status, header, body := f.get(f.balancer + "/oc/wf-site-5/check?duration=1h&start=" + opening.Format(time.RFC3339))
		var a answer
		age = header.Get("Age")
		return status == http.StatusOK && age != "" && json.Unmarshal(body, &a) == nil && a.NextSlot != nil
	})
	status, header, _ := f.do(http.MethodPut, f.balancer+"/oc/wf-late", []byte(`{"id":"wf-late","graph":{"items":{}}}`))
	if status != http.StatusServiceUnavailable || header.Get("Retry-After") == "" {
		f.t.Errorf("a write without NATS: %d, Retry-After %q", status, header.Get("Retry-After"))
	}
	f.say("NATS all away: reads answered through the balancer with Age %s, a write refused with %d", age, status)
	f.run("start", nodes[0], nodes[1], nodes[2])
	f.publish("NATS is back")
	if now := endings(f.all()); now[-1] != before[-1] || now[websocket.StatusInternalError] != 0 {
		f.t.Errorf("streams ended with NATS: %v, before %v", now, before)
	}
	f.say("no stream was closed by it")
	f.eventually("every replica is ready", func() bool {
		for _, url := range f.doors() {
			if !f.answers(url + "/readyz") {
				return false
			}
		}
		return true
	})
}

// deadAreForgotten: when their leases have ended, the replicas that are gone are in no list.
func (f *fleet) deadAreForgotten() {
	f.t.Helper()
	took := f.eventually("no list of interest names a replica without a lease", func() bool {
		strays, err := f.operator.strays()
		return err == nil && len(strays) == 0
	})
	f.say("lists of interest name living replicas only (after %.0fs)", took.Seconds())
	f.publish("after the sweep")
}

// peerRefused tries on the running fleet what nats.conf forbids a node.
func (f *fleet) peerRefused() {
	f.t.Helper()
	refused := make(chan error, 16)
	nc := f.connect("demo-south", "_INBOX.demo-south")
	nc.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err })
	subjects := []string{"PROPALGATION_EVENT", "$KV.planners.site-5", "$KV.interest.site-5", "$JS.API.STREAM.DELETE.KV_planners", "oc.compute.demo-north.out.ctrl"}
	for _, subject := range subjects {
		if err := errors.Join(nc.Publish(subject, []byte("{}")), nc.Flush()); err != nil {
			f.t.Fatal(err)
		}
		select {
		case err := <-refused:
			if !errors.Is(err, nats.ErrPermissionViolation) {
				f.t.Errorf("publishing on %s: %v", subject, err)
			}
		case <-time.After(patience):
			f.t.Errorf("a node may publish on %s", subject)
		}
	}
	f.say("a node's user is refused %v", subjects)
}
