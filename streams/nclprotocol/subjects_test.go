package nclprotocol_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/store/id"
	"oc-scheduler/streams/nclprotocol"
)

func TestSubjects(t *testing.T) {
	t.Parallel()
	for have, want := range map[string]string{
		nclprotocol.ControlSubject("north"):          "oc.compute.north.out.ctrl",
		nclprotocol.OutSubject("north"):              "oc.compute.north.out.msgs",
		nclprotocol.InSubject("a.b"):                 "oc.compute.a=2Eb.in.msgs",
		nclprotocol.LogSubject("north"):              "oc.compute.north.logs",
		nclprotocol.LogStreamSubject("north", "r4x"): "oc.compute.north.logs.r4x",
		nclprotocol.InboxPrefix("a b"):               "_INBOX.a=20b",
		nclprotocol.InConsumer("a.b"):                "a=2Eb",
	} {
		if have != want {
			t.Errorf("%s, want %s", have, want)
		}
	}
}

// Each subject is that of one node, whatever its name, and of the pattern that the streams and the
// scheduler listen to.
func TestNodeOf(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		node := rapid.String().Filter(func(s string) bool { return id.Check(s) == nil }).Draw(t, "node")
		for subject, pattern := range map[string]string{
			nclprotocol.ControlSubject(node): nclprotocol.AllControl,
			nclprotocol.OutSubject(node):     nclprotocol.AllOut,
			nclprotocol.InSubject(node):      nclprotocol.AllIn,
			nclprotocol.LogSubject(node):     "oc.compute.*.logs",
		} {
			if have, err := nclprotocol.NodeOf(subject); err != nil || have != node {
				t.Fatalf("%s is of %q, want %q: %v", subject, have, node, err)
			}
			if !matches(pattern, subject) {
				t.Fatalf("%s does not match %s", subject, pattern)
			}
		}
	})
	for _, subject := range []string{"", "oc.compute.", "oc.compute.north", "oc.bus.north.logs", "oc.compute.a=2.logs"} {
		if node, err := nclprotocol.NodeOf(subject); err == nil {
			t.Errorf("%q is of %q", subject, node)
		}
	}
}

func matches(pattern, subject string) bool {
	p, s := strings.Split(pattern, "."), strings.Split(subject, ".")
	if len(p) != len(s) {
		return false
	}
	for i := range p {
		if p[i] != "*" && p[i] != s[i] || s[i] == "" {
			return false
		}
	}
	return true
}
