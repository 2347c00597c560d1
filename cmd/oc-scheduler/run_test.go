package main

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// outcome is what a run of the program left.
type outcome struct {
	code           int
	stdout, stderr string
}

// invoke runs the program as a shell would, with an environment of its own.
func invoke(t *testing.T, env map[string]string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), args, lookupIn(env), &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

func lookupIn(env map[string]string) lookup {
	return func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}
}

func TestBadCommandLines(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args  string
		env   map[string]string
		code  int
		names string
	}{
		"unknown flag":              {"serve --bogus", nil, 78, "--bogus"},
		"bad address":               {"serve --listen localhost", nil, 78, "--listen"},
		"bad address of the demo":   {"demo --listen localhost", nil, 78, "--listen"},
		"bad duration":              {"serve --planner-ttl soon", nil, 78, "--planner-ttl"},
		"part of a second":          {"serve --planner-ttl 1500ms", nil, 78, "--planner-ttl"},
		"bad number":                {"serve --max-streams many", nil, 78, "--max-streams"},
		"bad replication":           {"serve --nats-url a --js-replicas 2", nil, 78, "--js-replicas"},
		"bad scheme":                {"serve --nats-url http://a", nil, 78, "--nats-url"},
		"bad level":                 {"serve --log-level loud", nil, 78, "--log-level"},
		"bad format":                {"serve --log-format xml", nil, 78, "--log-format"},
		"bad duration, environment": {"serve", map[string]string{"OC_PLANNER_TTL": "soon"}, 78, "OC_PLANNER_TTL"},
		"part of a second, environment": {
			"serve", map[string]string{"OC_PLANNER_TTL": "1500ms"}, 78, "OC_PLANNER_TTL",
		},
		"bad scheme, environment": {"serve", map[string]string{"OC_NATS_URL": "http://a"}, 78, "OC_NATS_URL"},
		"missing file":            {"serve --listen 127.0.0.1:0 --nats-url a --nats-creds /nonexistent", nil, 78, "--nats-creds"},
		"missing file, environment": {
			"serve --listen 127.0.0.1:0 --nats-url a", map[string]string{"OC_NATS_CA": "/nonexistent"}, 78, "OC_NATS_CA",
		},
		"flag of another command": {"check wf --listen :0", nil, 1, "--listen"},
		"no workflow":             {"check", nil, 1, "expected \"<workflow>\" (see oc-scheduler check -h)"},
		"no streams":              {"serve --max-streams 0", nil, 78, "--max-streams: 0 is not above zero"},
		"no streams of a client":  {"serve --max-streams-per-client 0", nil, 78, "--max-streams-per-client"},
		"no life":                 {"serve --planner-ttl 0", nil, 78, "--planner-ttl"},
		"no copy":                 {"serve --js-replicas 0", nil, 78, "--js-replicas: 0 is not 1, 3 or 5"},
		"bad server":              {"planners --server ftp://a", nil, 1, "--server"},
		"bad output":              {"planners -o xml", nil, 1, "--output"},
		"bad URL of the doctor":   {"doctor --nats-url http://a", nil, 1, "--nats-url"},
		"key without certificate": {"doctor --nats-key k", nil, 1, "--nats-cert"},
		"missing file, doctor":    {"doctor --nats-creds /nonexistent", nil, 1, "--nats-creds"},
		"unknown command":         {"fly", nil, 1, "no command `fly` (see oc-scheduler -h)"},
		"misspelt command":        {"nods", nil, 1, "no command `nods`; did you mean `nodes`? (see"},
		"misspelt by its end":     {"xrun", nil, 1, "or `run`?"},
		"too many words":          {"nodes a b", nil, 1, "unexpected argument b (see oc-scheduler nodes -h)"},
		"no lines":                {"logs x --tail=-1", nil, 1, "--tail: must not be below 0"},
		"run without":             {"run", nil, 125, "<node>"},
		"run, unknown flag":       {"run n1 --tiemout 3s -- sleep 1", nil, 125, "unknown flag --tiemout"},
		"run, flag of a program":  {"run n1 sh -c true", nil, 125, "unknown flag -c"},
		"run, flag of somebody":   {"run n1 du -d", nil, 125, "--detach behind the command"},
		"run, flag at the end":    {"run n1 sleep 1 --timeout 3s", nil, 125, "--timeout behind the command"},
		"run, no node":            {"run -- n1 sleep 1", nil, 125, "before -- stand a node"},
		"run, both ways":          {"run n1 sleep -- 1", nil, 125, "unexpected argument 1"},
		"run, no value":           {"run n1 --booking -- sleep 1", nil, 125, "--booking"},
		"run, no time":            {"run n1 --timeout 99999999h -- sleep 1", nil, 125, "--timeout"},
		"negative wait":           {"check wf --wait=-5s", nil, 1, "oc-scheduler: --wait: must not be below zero"},
		"more than a version":     {"--version x", nil, 1, "unexpected argument x"},
		"surplus word":            {"nodes approve a b", nil, 1, "unexpected argument b"},
		"half a choice":           {"check wf --instance gpu", nil, 1, "--instance"},
		"no server to examine":    {"doctor --nats-url=", nil, 1, "--nats-url"},
		"no replication":          {"doctor --js-replicas 2", nil, 1, "--js-replicas"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := invoke(t, tc.env, strings.Fields(tc.args)...)
			if got.code != tc.code || !strings.Contains(got.stderr, tc.names) || strings.Count(got.stderr, "\n") != 1 {
				t.Errorf("code %d, want %d; stderr, want one line that names %s:\n%s", got.code, tc.code, tc.names, got.stderr)
			}
			if got.stdout != "" {
				t.Errorf("stdout: %s", got.stdout)
			}
		})
	}
}

// TestNoNameAtAll holds that an empty id, as a variable in a script may be, asks for nothing instead of all.
func TestNoNameAtAll(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"planners", ""},
		{"executions", ""},
		{"nodes", ""},
		{"nodes", "remove", ""},
		{"logs", ""},
		{"cancel", ""},
		{"check", ""},
		{"schedules", ""},
		{"schedules", "cancel", ""},
		{"runs", ""},
		{"runs", "cancel", ""},
		{"history", ""},
		{"start", ""},
		{"schedule", ""},
		{"confirm", ""},
		{"run", "", "--", "ls"},
		{"nodes", "approve", strings.Repeat("x", 200)},
	} {
		got := invoke(t, map[string]string{"OC_SERVER": "127.0.0.1:1"}, args...)
		if got.code != usageCode(args) || !strings.Contains(got.stderr, "invalid id") {
			t.Errorf("%q: %+v", args, got)
		}
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for args, words := range map[string][]string{
		"":             {"serve", "demo", "peer", "run", "executions", "logs", "cancel", "check", "planners", "workflows", "doctor", "version"},
		"--help":       {"serve", "demo"},
		"serve --help": {"--nats-url", "OC_NATS_URL", "--planner-ttl=24h", "OC_DRAIN_GRACE"},
		"check -h":     {"--watch", "--duration", "OC_SERVER"},
		"help":         {"serve", "demo"},
		"help check":   {"--watch"},
		"schedule -h":  {"--cron", "--instance", "Exits with 4"},
		"start -h":     {"--label", "--follow", "Exits with 4"},
		"runs -h":      {"Usage: oc-scheduler runs [<run>]", "cancel", "--state"},
		"schedules -h": {"Usage: oc-scheduler schedules [<schedule>]", "pause"},
		"nodes -h":     {"Usage: oc-scheduler nodes [<node>]", "reject"},
		"run -h":       {"125", "128+N"},
		"demo -h":      {"--drain-grace=0s", "removed in the end"},
	} {
		got := invoke(t, nil, strings.Fields(args)...)
		if got.code != 0 || got.stderr != "" {
			t.Errorf("%q: code %d, stderr %s", args, got.code, got.stderr)
		}
		for _, word := range words {
			if !strings.Contains(got.stdout, word) {
				t.Errorf("%q: help lacks %s:\n%s", args, word, got.stdout)
			}
		}
	}
}

// TestHelpLeavesOut holds that nothing is offered that has no effect.
func TestHelpLeavesOut(t *testing.T) {
	t.Parallel()
	for args, words := range map[string][]string{
		"demo -h":   {"--nats-url", "--nats-creds", "--js-replicas"},
		"logs -h":   {"OC_FOLLOW", "OC_TAIL"},
		"cancel -h": {"OC_REASON"},
		"check -h":  {"OC_START", "OC_DURATION", "OC_WATCH"},
		"hold -h":   {"OC_START", "OC_TTL", "OC_ASK"},
	} {
		got := invoke(t, nil, strings.Fields(args)...)
		for _, word := range words {
			if strings.Contains(got.stdout, word) {
				t.Errorf("%q: help has %s:\n%s", args, word, got.stdout)
			}
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	for _, spelling := range []string{"version", "--version"} {
		got := invoke(t, nil, spelling)
		if got.code != 0 || !strings.HasPrefix(got.stdout, "oc-scheduler "+version+" (go1.") {
			t.Errorf("%s: %+v", spelling, got)
		}
	}
}

// TestNobodyAnswers, or somebody who is not the one: what may be done about it stands behind that.
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	for args, want := range map[string]outcome{
		"check wf --server 127.0.0.1:1":                                     {exitFailure, "", "127.0.0.1:1: dial tcp 127.0.0.1:1: connect: connection refused (is `oc-scheduler serve` running? --server)"},
		"run node --server 127.0.0.1:1 -- sleep 1":                          {exitNotRun, "", "connection refused (is `oc-scheduler serve` running? --server)"},
		"nodes --server " + secure.URL:                                      {exitFailure, "", "has a file with whom to trust)"},
		"nodes --server " + strings.Replace(secure.URL, "https", "http", 1): {exitFailure, "", "Client sent an HTTP request to an HTTPS server."},
	} {
		got := invoke(t, nil, strings.Fields(args)...)
		if got.code != want.code || !strings.HasSuffix(got.stderr, want.stderr+"\n") || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", args, got)
		}
	}
}
