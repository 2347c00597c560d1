package workflow_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

// wrap makes a workflow document of items and links.
func wrap(items, links string) string {
	return `{"id":"w","graph":{"items":{` + items + `},"links":[` + links + `]}}`
}

func mustDecode(t *testing.T, doc string) *workflow.Workflow {
	t.Helper()
	w, err := workflow.Decode([]byte(doc))
	if err != nil {
		t.Fatalf("Decode(%s): %v", doc, err)
	}
	return w
}

func TestNeeds(t *testing.T) {
	t.Parallel()
	w := mustDecode(t, wrap(`
		"z": {"storage": {"id": "archive", "creator_id": "peer-b", "demand": {"storage_gb": 0.0001, "iops": 0}}},
		"a": {"compute": {"id": "gpu", "peer_id": "peer-b", "creator_id": "peer-b", "demand": null}, "data": null},
		"m": {"compute": {"id": "gpu", "peer_id": "peer-a", "demand": {"cpu": {"x86": 1.5}, "ram": 2}}, "width": 3},
		"n": {"compute": {"id": "gpu", "peer_id": "peer-a", "demand": {}}},
		"d": {"data": {"anything": [1, {"goes": null}]}},
		"w": {"workflow": {}},
		"p": {"processing": {}}`, ``))
	want := []workflow.Need{
		{ItemID: "a", Kind: workflow.Compute, ResourceID: "gpu", PeerID: "peer-b", Whole: true},
		{ItemID: "m", Kind: workflow.Compute, ResourceID: "gpu", PeerID: "peer-a", Demand: []planner.Quantity{{Dimension: "cpu.x86", Amount: 1500}, {Dimension: "ram", Amount: 2000}}},
		{ItemID: "n", Kind: workflow.Compute, ResourceID: "gpu", PeerID: "peer-a"},
		{ItemID: "z", Kind: workflow.Storage, ResourceID: "archive", PeerID: "peer-b", Demand: []planner.Quantity{{Dimension: "storage_gb", Amount: 1}}},
	}
	if len(w.Needs()) != len(want) {
		t.Fatalf("needs = %+v", w.Needs())
	}
	for i, got := range w.Needs() {
		if !slices.Equal(got.Demand, want[i].Demand) {
			t.Errorf("demand of %s = %v, want %v", got.ItemID, got.Demand, want[i].Demand)
		}
		got.Demand, want[i].Demand = nil, nil
		if !equalNeed(got, want[i]) {
			t.Errorf("need %d = %+v, want %+v", i, got, want[i])
		}
	}
	if !slices.Equal(w.Peers(), []string{"peer-a", "peer-b"}) {
		t.Errorf("peers = %v", w.Peers())
	}
	if d, ok := w.Duration(); ok {
		t.Errorf("a duration of %v that nobody gave", d)
	}
}

func equalNeed(a, b workflow.Need) bool {
	return a.ItemID == b.ItemID && a.Kind == b.Kind && a.ResourceID == b.ResourceID && a.PeerID == b.PeerID && a.Whole == b.Whole
}

func TestAcceptedAsEmpty(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{
		`{"id":"w","name":null,"graph":{}}`, `{"id":"w","graph":{}}`,
		`{"id":"w","graph":{"items":null,"links":null}}`, ` {"graph":{"links":[]},"unknown":{"a":[1]},"id":"w"} `,
	} {
		if w := mustDecode(t, doc); w.ID() != "w" || w.Name() != "" || len(w.Needs()) != 0 || len(w.Peers()) != 0 {
			t.Errorf("Decode(%s) = %+v", doc, w)
		}
	}
}

func TestDuration(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]time.Duration{
		"0": 0, "1800": 30 * time.Minute, "0.5": 500 * time.Millisecond, "1e-9": 1, "1.0000000001": time.Second + 1,
		"1e-99999999999999999999": 1, "0.1": 100 * time.Millisecond, "15E2": 25 * time.Minute, "1e9": 1_000_000_000 * time.Second, "-0": 0,
	} {
		got, ok := mustDecode(t, wrap(`"p":{"processing":{"duration_s":`+in+`}}`, "")).Duration()
		if got != want || !ok {
			t.Errorf("duration_s %s = %d ns, %v, want %d", in, got, ok, want)
		}
	}
	for _, bad := range []string{"-1", "1000000001", "1e99999999999999999999", `"1"`, "true", "{}"} {
		doc := wrap(`"p":{"processing":{"duration_s":`+bad+`}}`, "")
		wantFaults(t, doc, "$.graph.items.p.processing.duration_s")
	}
	w := mustDecode(t, wrap(`"p":{"processing":{"duration_s":null}}`, ""))
	if _, ok := w.Duration(); ok {
		t.Error("null is a duration")
	}
}

// wantFaults checks that doc has faults at these paths, in this order.
func wantFaults(t *testing.T, doc string, paths ...string) {
	t.Helper()
	_ = faultsOf(t, doc, paths...)
}

// faultsOf is wantFaults that returns the faults.
func faultsOf(t *testing.T, doc string, paths ...string) fault.List {
	t.Helper()
	w, err := workflow.Decode([]byte(doc))
	var list fault.List
	if !errors.As(err, &list) || w != nil {
		t.Errorf("Decode(%s) = %v, %v; want a fault.List", doc, w, err)
		return nil
	}
	var got []string
	for _, f := range list {
		got = append(got, f.Path)
	}
	if !slices.Equal(got, paths) {
		t.Errorf("Decode(%s)\n got %v\nwant paths %v", doc, list, paths)
	}
	return list
}

func TestFaults(t *testing.T) {
	t.Parallel()
	const item = "$.graph.items.a"
	for doc, paths := range map[string][]string{
		``:                                 {"$"},
		`null`:                             {"$"},
		`[]`:                               {"$"},
		`"w"`:                              {"$"},
		`{"id":"w","graph":{}} {}`:         {"$"},
		`{"id":"w","graph":{}}x`:           {"$"},
		`{"id":"w"`:                        {"$"},
		`{}`:                               {"$.id", "$.graph"},
		`{"id":null,"graph":null}`:         {"$.id", "$.graph"},
		`{"id":"","graph":{}}`:             {"$.id"},
		`{"id":"typo","grahp":{}}`:         {"$.graph"},
		`{"id":7,"name":7,"graph":7}`:      {"$.id", "$.name", "$.graph"},
		`{"id":"a\u0000","graph":{}}`:      {"$.id"},
		`{"id":"w","id":"w"}`:              {"$.id"},
		wrap(`"a":{"data":{}},"a":{}`, ``): {item},
		wrap(`"a":null,"b":[],"c":{}`, ``): {item, "$.graph.items.b", "$.graph.items.c"},
		wrap(`"a":{"data":null}`, ``):      {item},
		wrap(`"a":{"data":[]}`, ``):        {item + ".data"},
		wrap(`"":{"data":{}}`, ``):         {"$.graph.items['']"},
		wrap(`"a":{"data":{},"workflow":{}}`, ``):                                                    {item},
		wrap(`"a":{"compute":{}}`, ``):                                                               {item + ".compute.peer_id", item + ".compute.id"},
		wrap(`"a":{"compute":{"id":"","peer_id":7}}`, ``):                                            {item + ".compute.id", item + ".compute.peer_id"},
		wrap(`"a":{"storage":{"id":"r","peer_id":"p","creator_id":"q"}}`, ``):                        {item + ".storage"},
		wrap(`"a":{"storage":{"id":"r","peer_id":"p","demand":{"x":-1,"y":{"z":"1"}}}}`, ``):         {item + ".storage.demand.x", item + ".storage.demand.y.z"},
		wrap(`"a":{"storage":{"id":"r","peer_id":"p","demand":[]}}`, ``):                             {item + ".storage.demand"},
		wrap(`"a":{"data":{}}`, `{"source":"a","destination":"b"},{"source":"c","destination":"a"}`): {"$.graph.links[0].destination", "$.graph.links[1].source"},
		wrap(`"a":{"data":{}}`, `{},null,{"source":"a"},{"source":"","destination":5},[]`):           {"$.graph.links[0]", "$.graph.links[1]", "$.graph.links[2]", "$.graph.links[3].source", "$.graph.links[3].destination", "$.graph.links[4]"},
		wrap(`"a":{"processing":{"id":"","duration_s":[]}}`, `{"source":"a","destination":"a"}`):     {item + ".processing.id", item + ".processing.duration_s", "$.graph.links[0]"},
		`{"id":"w","graph":{"items":[],"links":[{"source":"a","destination":"b"}]}}`:                 {"$.graph.items"},
		`{"id":"w","graph":{"items":{},"links":{}}}`:                                                 {"$.graph.links"},
		`{"id":"w","graph":{"links":[{"source":"a","destination":"b","source":"a"}]}}`:               {"$.graph.links[0].source"},
		`{"id":"w","graph":{"links":[{"source":"a","destination":"b"}]}}`:                            {"$.graph.links[0].source", "$.graph.links[0].destination"},
		wrap(`"a":{"data":{"x":[1,{"y":tru}]}}`, ``):                                                 {item + ".data.x[1].y"},
		wrap("\"a\":{\"data\":{\"x\":\"\xff\"}}", ``):                                                {item + ".data.x"},
		`{"id":"w","deep":` + strings.Repeat(`{"a":`, 9) + `x`:                                       {"$.deep" + strings.Repeat(".a", 9)},
		`{"id":"w","deep":` + strings.Repeat(`[`, 20000):                                             {"$.deep" + strings.Repeat("[0]", 15)},
		`{"id":"w","` + strings.Repeat("n", 999) + `":x`:                                             {"$"},
	} {
		wantFaults(t, doc, paths...)
	}
}

func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	_, err := workflow.Decode([]byte(wrap("", strings.Repeat("{},", 5000)+"{}")))
	var list fault.List
	if !errors.As(err, &list) || len(list) != fault.MaxListed+1 {
		t.Errorf("%d faults", len(list))
	}
}

func TestDimensionsOfADemandAreBounded(t *testing.T) {
	t.Parallel()
	demand := func(n int) []byte {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `%s"d%d":1`, map[bool]string{true: ","}[i > 0], i)
		}
		return fmt.Appendf(nil, `{"id":"w","graph":{"items":{"n":{"compute":{"id":"r","peer_id":"p","demand":{%s}}}}}}`, b.String())
	}
	if _, err := workflow.Decode(demand(256)); err != nil {
		t.Error(err)
	}
	if _, err := workflow.Decode(demand(257)); err == nil || !strings.Contains(err.Error(), "$.graph.items.n.compute.demand") {
		t.Errorf("257 dimensions: %v", err)
	}
}

// TestDecodeAs lists all that is wrong, the id first where it stands first.
func TestDecodeAs(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]string{
		`{"id":"w","graph":{}}`: "",
		`{"id":"v","graph":{}}`: "$.id: must be the id in the path",
		`{"id":"v","graph":{"items":{"a":{}},"links":{}}}`: "$.id: must be the id in the path; " +
			"$.graph.items.a: must have exactly one of processing, compute, storage, data and workflow, not 0; $.graph.links: must be an array, not an object",
		`{"graph":{"links":{}},"id":"v"}`: "$.graph.links: must be an array, not an object; $.id: must be the id in the path",
		`{"id":"","graph":{}}`:            "$.id: invalid id: empty",
		`{"id":"v"}`:                      "$.id: must be the id in the path; $.graph: is missing",
	} {
		got := ""
		if _, err := workflow.DecodeAs("w", []byte(doc)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("DecodeAs(%s)\n got %s\nwant %s", doc, got, want)
		}
	}
}

// TestDecodeStored reads what the version before stored without a graph, which needs nothing.
func TestDecodeStored(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{`{"id":"typo","grahp":{}}`, `{"id":"typo","graph":null}`} {
		if w, err := workflow.DecodeStored([]byte(doc)); err != nil || w.ID() != "typo" || len(w.Needs()) != 0 {
			t.Errorf("DecodeStored(%s) = %v, %v", doc, w, err)
		}
	}
	if _, err := workflow.DecodeStored([]byte(`{"grahp":{}}`)); err == nil {
		t.Error("a workflow without an id is read")
	}
}
