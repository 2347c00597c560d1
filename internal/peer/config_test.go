package peer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/peer"
	"oc-scheduler/internal/peer/ledger"
	"oc-scheduler/store/planner"
)

func TestExample(t *testing.T) {
	t.Parallel()
	cfg, err := peer.LoadFile("../../deploy/peer.yaml", func(c *peer.Config) {
		c.Executor.Commands = []string{"sleep"} // what is listed there may not be here
		c.DataDir = "elsewhere"
	})
	if err != nil {
		t.Fatal(err)
	}
	i0 := cfg.Resources["gpu-cluster"]["i0"]
	if cfg.NodeID != "north-1" || cfg.DataDir != "elsewhere" || i0["cpu_cores.x86_64"] != 64*planner.Unit || i0["gpus"] != 8*planner.Unit ||
		cfg.Executor.Limits.CPU != 12*time.Hour || cfg.Executor.Limits.Processes != 4096 || len(cfg.NATS.URL) != 2 || cfg.Output.Keep != 168*time.Hour ||
		cfg.Heartbeat != (peer.Heartbeat{Interval: 15 * time.Second, Misses: 5}) {
		t.Errorf("%+v", cfg)
	}
}

func TestFaultsOfConfigurations(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"smallest": {"peer_id: a\ndata_dir: d\n", ""},
		"empty":    {"", "the configuration is empty"},
		"blank":    {" \n\n", "the configuration is empty"},
		"comments": {"# peer_id: a\n", "the configuration is empty"},
		"null":     {"null\n", "peer_id: invalid id: empty\ndata_dir: missing"},
		"a list":   {"- a\n", "line 1: must be fields, such as peer_id: north"},
		"two":      {"peer_id: a\n---\npeer_id: b\n", "expected single document, found multiple"},
		"syntax":   {"peer_id: a\nlabels: [x\n", "line 3: did not find expected ',' or ']'"},
		"all at once": {
			"peer_id: a\nnode_id: \"\\x01\"\ncolour: red\nlabels:\n  a: [1]\nexecutor:\n  type: docker\n  timeout: soon\n  max_concurrent: -1\n  limits: {cpu: 1ms}\n",
			"data_dir: missing\nline 2: node_id: invalid id: control character U+0001 at byte 0\nline 3: unknown field colour\n" +
				"line 5: labels.a: must be a text\n" +
				"line 7: executor.type: \"docker\" is neither sleep nor process\nline 8: executor.timeout: soon is not a duration such as 5s\n" +
				"line 9: executor.max_concurrent: -1 is not between 1 and 10000\n" +
				"line 10: executor.limits.cpu: 1ms is not a number of whole seconds",
		},
		"types": {
			"peer_id: a\ndata_dir: d\nexecutor:\n  timeout: 5\n  grace: [1s]\n  max_concurrent: many\n  limits: 3\n  commands: sh\n  environment: {}\nnats:\n  url: nats://user:secret@a\noutput: big\n",
			"line 4: executor.timeout: 5 is not a duration such as 5s\nline 5: executor.grace: must be a duration such as 5s\n" +
				"line 6: executor.max_concurrent: must be a whole number\nline 7: executor.limits: must be fields by name\n" +
				"line 8: executor.commands: must be a list: […]\nline 9: executor.environment: must be a list: […]\n" +
				"line 11: nats.url: must be a list: [nats://…]\nline 12: output: must be fields by name",
		},
		"twice": {"peer_id: a\npeer_id: b\ndata_dir: d\n", "line 2: mapping key \"peer_id\" already defined at line 1"},
		"amounts": {
			"peer_id: a\ndata_dir: d\nresources:\n  g.x:\n    i0: {a: -1, b: x, c: {d: {e: 1}}, f: [1]}\n    i1: 5\n    i2: {h: 1e99, k: {l: 2}, k.l: 3}\n  \"\":\n    i: {}\n",
			"line 5: a: invalid amount: negative\nline 5: b: invalid amount: not a number\nline 5: c.d: must be a number\nline 5: must be amounts by name\n" +
				"line 6: must be amounts by name\nline 7: h: invalid amount: above 1000000000000000\nline 7: k.l: named twice\n" +
				"line 8: resources.: invalid id: empty",
		},
		"instance":   {"peer_id: a\ndata_dir: d\nresources:\n  g.x:\n    \"i\\n\": {a: 1}\n", "line 5: resources.g.x.i\n: invalid id: control character U+000A at byte 1"},
		"heartbeat":  {"peer_id: a\ndata_dir: d\nheartbeat: {interval: 100ms}\n", "line 3: heartbeat: interval × misses, 100ms × 5, is not between 1s and 24h0m0s"},
		"misses":     {"peer_id: a\ndata_dir: d\nheartbeat:\n  misses: -1\n", "line 3: heartbeat: misses are -1, must be between 1 and 1000"},
		"too seldom": {"peer_id: a\ndata_dir: d\nheartbeat: {interval: 24h, misses: 2}\n", "line 3: heartbeat: interval × misses, 24h0m0s × 2, is not between 1s and 24h0m0s"},
		"commands":   {"peer_id: a\ndata_dir: d\nexecutor:\n  type: process\n  commands:\n  - no-such-command\n", "line 5: executor.commands: command \"no-such-command\": executable file not found in $PATH"},
		"busy":       {"peer_id: a\ndata_dir: d\nbusy_every: 1s\n", "line 3: busy_every: it needs resources, and a time above zero"},
		"output":     {"peer_id: a\ndata_dir: d\noutput:\n  max_mb: 17592186044417\n", "line 3: output: a size is below zero or above 1099511627776 MiB"},
		"no output":  {"peer_id: a\ndata_dir: d\noutput:\n  total_mb: -17592186044415\n", "line 3: output: a size is below zero or above 1099511627776 MiB"},
		"too long":   {"peer_id: a\ndata_dir: d\n#" + strings.Repeat("x", 1<<20), "a configuration may have 1048576 bytes"},
		"nothing": {
			"peer_id: null\ndata_dir: d\nnode_id: ~\nlabels: {Null: a}\nresources:\n  NULL: {i: {a: 1}}\n  r:\n    ~: {a: 1}\nnats: {url: [null]}\n",
			"line 1: null is no value: leave it out, or put it in quotes\nline 3: ~ is no value: leave it out, or put it in quotes\n" +
				"line 4: Null is no value: leave it out, or put it in quotes\nline 6: NULL is no value: leave it out, or put it in quotes\n" +
				"line 8: ~ is no value: leave it out, or put it in quotes\nline 9: null is no value: leave it out, or put it in quotes",
		},
		"an empty entry": {"peer_id: a\ndata_dir: d\nexecutor:\n  environment:\n  -\n  - A\n", "line 5: an entry without a value"},
		"numbers": {
			"peer_id: a\ndata_dir: d\nexecutor:\n  max_concurrent: 010\n  max_queued: 1_0\n  limits:\n    memory_mb: 0x20\n    open_files: 1e2\n    processes: +5\noutput:\n  max_mb: 64.0\n  total_mb: 0b11\n",
			"line 4: executor.max_concurrent: must be a whole number\nline 5: executor.max_queued: must be a whole number\n" +
				"line 7: executor.limits.memory_mb: must be a whole number\nline 8: executor.limits.open_files: must be a whole number\n" +
				"line 9: executor.limits.processes: must be a whole number\nline 11: output.max_mb: must be a whole number\nline 12: output.total_mb: must be a whole number",
		},
		"amounts in other notations": {
			"peer_id: a\ndata_dir: d\nresources: {r: {i: {a: 010, b: 1_0, c: 0x1, d: .5, e: +1, f: .inf, g: 1:30}}}\n",
			"line 3: a: invalid amount: not a number\nline 3: b: invalid amount: not a number\nline 3: c: invalid amount: not a number\n" +
				"line 3: d: invalid amount: not a number\nline 3: e: invalid amount: not a number\nline 3: f: invalid amount: not a number\nline 3: g: invalid amount: not a number",
		},
		"tags and anchors": {
			"peer_id: !north\ndata_dir: &d\nnode_id: &n north\nlabels: {a: !!binary aGk=, b: !!int 5}\nresources: !x {}\n",
			"line 1: a text that begins with ! must be in quotes; tags can't be used here\n" +
				"line 2: a text that begins with & must be in quotes; names for values can't be used here\n" +
				"line 3: a text that begins with & must be in quotes; names for values can't be used here\n" +
				"line 4: a text that begins with ! must be in quotes; tags can't be used here\nline 4: a text that begins with ! must be in quotes; tags can't be used here\n" +
				"line 5: a text that begins with ! must be in quotes; tags can't be used here",
		},
		"merged fields":          {"peer_id: a\ndata_dir: d\nlabels: &l {a: b}\nresources: {r: {<<: *l}}\nnats: {<<: {url: [a]}}\n", "line 4: << can't be used here\nline 5: << can't be used here"},
		"twice, spelt otherwise": {"peer_id: a\ndata_dir: d\nlabels: {5: a, \"5\": b}\n", "line 3: mapping key \"5\" already defined at line 3"},
		"merged key":             {"peer_id: a\ndata_dir: d\nresources: {r: {i: {<<: {a: 1}}}}\n", "line 3: << can't be used here"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := peer.Load(strings.NewReader(tc.text), nil)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

// TestNamesAreText, whatever they would be to YAML.
func TestNamesAreText(t *testing.T) {
	t.Parallel()
	const text = "peer_id: 0123\nnode_id: 1e3\ndata_dir: 2026-12-01\n" +
		"labels: {yes: no, on: off, 010: 0x1F, 1_000: 1:30, 1.50: .inf, true: False, \"null\": '~', 2001-12-14: 5, e: ''}\n" +
		"resources: {007: {1e3: &big {cores: 8}, y: *big, z: }}\nexecutor: {type: process, commands: [sh], environment: [0755, no]}\n"
	cfg, err := peer.Load(strings.NewReader(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintln(cfg.PeerID, cfg.NodeID, cfg.DataDir, cfg.Labels, cfg.Resources, cfg.Executor.Environment)
	want := fmt.Sprintln("0123", "1e3", "2026-12-01",
		map[string]string{"yes": "no", "on": "off", "010": "0x1F", "1_000": "1:30", "1.50": ".inf", "true": "False", "null": "~", "2001-12-14": "5", "e": ""},
		ledger.Capacities{"007": {"1e3": {"cores": 8 * planner.Unit}, "y": {"cores": 8 * planner.Unit}, "z": nil}}, []string{"0755", "no"})
	if got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("peer_id: a\ndata_dir: d\nresources: {r: {i: {a: 1, b: {c: 2}}}}\n")
	f.Add("peer_id: &x a\nnode_id: *x\nlabels: {<<: {a: b}}\n")
	f.Add("executor: {type: process, commands: [sh], limits: {cpu: 1h}}\nnats: {url: [a]}\n")
	f.Fuzz(func(t *testing.T, text string) {
		cfg, err := peer.Load(strings.NewReader(text), nil)
		if err != nil {
			return
		}
		if err := cfg.Validate(); err != nil {
			t.Errorf("loaded, but not valid: %v", err)
		}
	})
}
