package fault_test

import (
	"errors"
	"testing"

	"oc-scheduler/store/fault"
)

func TestPaths(t *testing.T) {
	t.Parallel()
	path := fault.Element(fault.Member(fault.Member(fault.Root, "graph"), "links"), 3)
	if path != "$.graph.links[3]" {
		t.Errorf("path = %s", path)
	}
	for name, want := range map[string]string{"a1": "$.a1", "gpu-cluster": "$['gpu-cluster']", "": "$['']", "it's": `$['it\'s']`, `a"b`: `$['a"b']`, "1a": "$['1a']", "\x01": `$['\u0001']`} {
		if got := fault.Member(fault.Root, name); got != want {
			t.Errorf("Member($, %q) = %s, want %s", name, got, want)
		}
	}
}

func TestListIsAnErrorAndBounded(t *testing.T) {
	t.Parallel()
	var l fault.List
	if l.Err() != nil {
		t.Error("an empty list is an error")
	}
	for range 3 * fault.MaxListed {
		l.Add("$.a", "bad %d", 1)
	}
	if len(l) != fault.MaxListed+1 {
		t.Errorf("%d faults listed", len(l))
	}
	var back fault.List
	if !errors.As(l.Err(), &back) || back[0] != (fault.Fault{Path: "$.a", Message: "bad 1"}) {
		t.Errorf("back = %v", back)
	}
	if got := (fault.List{{"$.a", "x"}, {"$.b", "y"}}).Error(); got != "$.a: x; $.b: y" {
		t.Errorf("Error() = %q", got)
	}
}
