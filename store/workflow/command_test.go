package workflow_test

import (
	"fmt"
	"strings"
	"testing"

	"oc-scheduler/store/workflow"
)

// executed is a workflow of one step, with these members, on one compute item.
func executed(members string) string {
	return wrap(`"a":{"processing":{`+members+`}},"c":{"compute":{"id":"r","peer_id":"p"}}`, `{"source":"c","destination":"a"}`)
}

func TestWhatCannotBeExecuted(t *testing.T) {
	t.Parallel()
	const at = "$.graph.items.a.processing"
	words := func(n int) string { return `"command":["p"` + strings.Repeat(`,""`, n-1) + `]` }
	variables := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"v%d":""`, i)
		}
		return `"env":{` + b.String()[1:] + `}`
	}
	long := func(n int) string { return strings.Repeat("x", n) }
	for members, paths := range map[string][]string{
		words(1024):                            nil,
		words(1025):                            {at + ".command"},
		variables(256):                         nil,
		variables(257):                         {at + ".env"},
		`"command":[]`:                         {at + ".command"},
		`"command":["",""]`:                    {at + ".command"},
		`"command":"sh -c"`:                    {at + ".command"},
		`"command":{}`:                         {at + ".command"},
		`"command":["a\u0000"]`:                {at + ".command[0]"},
		`"command":["a",null,1,[]]`:            {at + ".command[1]", at + ".command[2]", at + ".command[3]"},
		`"command":["` + long(64<<10-1) + `"]`: nil,
		`"command":["` + long(64<<10) + `"]`:   {at},
		`"command":["` + long(1000) + `"],"env":{"a":"` + long(64<<10-1004) + `"}`: nil,
		`"command":["` + long(1000) + `"],"env":{"a":"` + long(64<<10-1003) + `"}`: {at},
		`"env":{"_a1":"","Z":"=\n"}`:                               nil,
		`"env":{"":"","1":"","a-b":"","é":"","a=":"","\u0000":""}`: {at + ".env['']", at + ".env['1']", at + ".env['a-b']", at + ".env['é']", at + ".env['a=']", at + `.env['\u0000']`},
		`"env":{"a":1,"b":null,"c":"\u0000"}`:                      {at + ".env.a", at + ".env.b", at + ".env.c"},
		`"env":[]`:                                                 {at + ".env"},
		`"env":{"a":"","a":""}`:                                    {at + ".env.a"},
		`"retries":10`:                                             nil,
		`"retries":11`:                                             {at + ".retries"},
		`"retries":-1`:                                             {at + ".retries"},
		`"retries":1.5`:                                            {at + ".retries"},
		`"retries":99999999999999999999`:                           {at + ".retries"},
		`"retries":"1"`:                                            {at + ".retries"},
		`"command":null,"env":null,"retries":null`:                 nil,
	} {
		if len(paths) > 0 {
			wantFaults(t, executed(members), paths...)
		} else {
			mustDecode(t, executed(members))
		}
	}
}

func TestACommandNeedsAComputeItem(t *testing.T) {
	t.Parallel()
	const items = `"a":{"processing":{"command":["x"]}},"b":{"processing":{}},"c":{"compute":{"id":"r","peer_id":"p"}},"s":{"storage":{"id":"r","peer_id":"p"}}`
	const at = "$.graph.items.a.processing.command"
	for links, ok := range map[string]bool{
		``: false, `{"source":"a","destination":"b"},{"source":"b","destination":"c"}`: false,
		`{"source":"s","destination":"a"}`: false, `{"source":"a","destination":"c"}`: true, `{"source":"c","destination":"a"}`: true,
	} {
		if ok {
			mustDecode(t, wrap(items, links))
		} else {
			wantFaults(t, wrap(items, links), at)
		}
	}
}

// TestStoredBeforeThereWereCommands: a version that ignored these members stored them as they came.
func TestStoredBeforeThereWereCommands(t *testing.T) {
	t.Parallel()
	for members, want := range map[string]workflow.Step{
		`"command":"sh","env":7,"retries":"many"`:                      {},
		`"command":["sh"],"env":{"a b":""},"retries":2`:                {Command: []string{"sh"}, Retries: 2},
		`"command":["` + strings.Repeat("x", 1<<17) + `"],"retries":2`: {},
	} {
		w, err := workflow.DecodeStored([]byte(executed(members)))
		if err != nil {
			t.Errorf("%.50s: %v", members, err)
			continue
		}
		if got := w.Steps()[0]; fmt.Sprint(got.Command, got.Env, got.Retries) != fmt.Sprint(want.Command, want.Env, want.Retries) {
			t.Errorf("%.50s: %.200v", members, got)
		}
	}
	w, err := workflow.DecodeStored([]byte(wrap(`"a":{"processing":{"command":["x"]}}`, "")))
	if err != nil || w.Steps()[0].Command != nil {
		t.Errorf("nowhere to run: %v", err)
	}
}

// TestDigestOfCommands: each change of what is executed is another meaning; none of what says nothing.
func TestDigestOfCommands(t *testing.T) {
	t.Parallel()
	seen := map[[16]byte]string{}
	for _, members := range []string{
		``, `"command":["a"]`, `"command":["a",""]`, `"command":["a","b"]`, `"command":["a","b"],"env":{"c":"d"}`,
		`"command":["a","b"],"env":{"c":"e"}`, `"command":["a","b"],"env":{"cd":""}`, `"command":["a","b"],"retries":1`, `"env":{"c":"d"}`, `"retries":1`,
	} {
		digest := mustDecode(t, executed(members)).Digest()
		if other, is := seen[digest]; is {
			t.Errorf("%s is named as %s", members, other)
		}
		seen[digest] = members
	}
	for _, nothing := range []string{`"retries":0`, `"env":{}`, `"command":null`} {
		if mustDecode(t, executed(nothing)).Digest() != mustDecode(t, executed("")).Digest() {
			t.Errorf("%s changes the meaning", nothing)
		}
	}
}
