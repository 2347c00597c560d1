package main

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"oc-scheduler/internal/fleettest"
)

const root = "../../"

// block is a fenced block of a page.
type block struct{ language, text string }

var fence = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$")

func blocksOf(t *testing.T, page string) []block {
	t.Helper()
	var all []block
	for _, found := range fence.FindAllStringSubmatch(read(t, root+page)+"\n", -1) {
		all = append(all, block{found[1], found[2]})
	}
	if len(all) == 0 {
		t.Fatalf("%s has no examples", page)
	}
	return all
}

// shellWords splits a command line as a shell does, as far as pages need that.
var wordOf = regexp.MustCompile(`'[^']*'|\S+`)

func shellWords(line string) []string {
	all := wordOf.FindAllString(line, -1)
	for i, w := range all {
		all[i] = strings.Trim(w, "'")
	}
	return all
}

// curl does what curl would; of an event stream it takes the first event's data.
func (s *site) curl(t *testing.T, args []string) (body []byte) {
	t.Helper()
	method, url := http.MethodGet, ""
	header := http.Header{}
	var data io.Reader
	for i := 0; i < len(args); i++ {
		value := func() string { i++; return args[i] }
		switch args[i] {
		case "-N":
		case "-X":
			method = value()
		case "-H":
			name, of, _ := strings.Cut(value(), ": ")
			header.Set(name, of)
		case "--data":
			file, is := strings.CutPrefix(value(), "@")
			if !is {
				t.Fatalf("%v: from a file", args)
			}
			data = strings.NewReader(read(t, root+file))
		default:
			url = strings.Replace(args[i], "http://127.0.0.1:8080", s.url, 1)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), method, url, data)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if header.Get("Accept") == "text/event-stream" {
		return firstEvent(t, answer.Body)
	}
	if body, err = io.ReadAll(answer.Body); err != nil {
		t.Fatal(err)
	}
	return body
}

func firstEvent(t *testing.T, stream io.Reader) []byte {
	t.Helper()
	var all []byte
	for buffer := make([]byte, 4096); ; {
		n, err := stream.Read(buffer)
		all = append(all, buffer[:n]...)
		if _, data, begun := bytes.Cut(all, []byte("\ndata: ")); begun {
			if line, _, whole := bytes.Cut(data, []byte("\n")); whole {
				return line
			}
		}
		if err != nil {
			t.Fatalf("%v after %q", err, all)
		}
	}
}

// pub does what `nats pub` would.
func (s *site) pub(t *testing.T, args []string) {
	t.Helper()
	if len(args) != 3 || args[0] != "pub" || !json.Valid([]byte(args[2])) {
		t.Fatalf("nats %q", args)
	}
	if err := s.bus.Publish(args[1], []byte(args[2])); err != nil {
		t.Fatal(err)
	}
	if err := s.bus.Flush(); err != nil {
		t.Fatal(err)
	}
}

// members are the names in a document, with where they stand: lists are as their first element.
func members(of any, at string, into map[string]bool) {
	switch v := of.(type) {
	case map[string]any:
		for name, value := range v {
			into[at+"."+name] = true
			members(value, at+"."+name, into)
		}
	case []any:
		if len(v) > 0 {
			members(v[0], at+"[]", into)
		}
	}
}

// alike holds that a document of a page has the members of one that came, and the same type, status and ids.
func alike(t *testing.T, page, came []byte) {
	t.Helper()
	var shown, got map[string]any
	if err := json.Unmarshal(page, &shown); err != nil {
		t.Fatalf("%v: %s", err, page)
	}
	if err := json.Unmarshal(came, &got); err != nil {
		t.Fatalf("%v: %s", err, came)
	}
	want, have := map[string]bool{}, map[string]bool{}
	members(shown, "", want)
	members(got, "", have)
	if !maps.Equal(want, have) {
		t.Errorf("the page shows %v, and there came %v", slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(have)))
	}
	for _, name := range []string{"type", "status", "workflow_id", "title", "available", "payload", "from_app", "errors", "missing_planners", "detail"} {
		a, _ := json.Marshal(shown[name])
		b, _ := json.Marshal(got[name])
		if !bytes.Equal(a, b) {
			t.Errorf("%s: the page shows %s, and there came %s", name, a, b)
		}
	}
}

// TestPageOfClients runs what it shows, line by line.
func TestPageOfClients(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	var came []byte
	for _, b := range blocksOf(t, "docs/clients.md") {
		switch b.language {
		case "sh":
			for line := range strings.Lines(b.text) {
				args := shellWords(strings.TrimSpace(line))
				if args[0] != "curl" {
					t.Fatalf("%q", line)
				}
				came = s.curl(t, args[1:])
			}
			if !json.Valid(came) {
				t.Errorf("%s: %s", b.text, came)
			}
		case "json":
			alike(t, []byte(b.text), came)
		}
	}
}

// TestPageOfTheBus sends what it shows, and gets what it says.
func TestPageOfTheBus(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	heard, err := s.bus.SubscribeSync("PROPALGATION_EVENT")
	if err != nil {
		t.Fatal(err)
	}
	effects := []func() bool{
		func() bool { return fleettest.Get(t.Context(), s.url+"/oc/wf-bus").Status == http.StatusOK },
		func() bool {
			check := fleettest.Get(t.Context(), s.url+"/oc/wf-bus/check?start=2026-12-01T09:00:00Z&duration=1h")
			return strings.Contains(string(check.Body), `"unavailable"`) && strings.Contains(string(check.Body), `"next_slot":{"start":"2026-12-01T10:00:00Z"`)
		},
		func() bool { return fleettest.Get(t.Context(), s.url+"/oc/wf-bus").Status == http.StatusNotFound },
	}
	for _, b := range blocksOf(t, "docs/bus.md") {
		switch b.language {
		case "sh":
			s.pub(t, shellWords(strings.TrimSpace(b.text))[1:])
			eventually(t, "the effect of "+b.text, effects[0])
			effects = effects[1:]
		case "json":
			m, err := heard.NextMsgWithContext(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			alike(t, []byte(b.text), m.Data)
		}
	}
	if len(effects) > 0 {
		t.Error("the page shows less")
	}
	_ = heard.Unsubscribe()
	for _, page := range []string{"docs/bus.md", "docs/clients.md", "docs/backup.md", "docs/upgrading.md", "docs/cli.md", "docs/embedding.md"} {
		for _, link := range regexp.MustCompile(`\]\(([^):#]+)\)`).FindAllStringSubmatch(read(t, root+page), -1) {
			if _, err := os.Stat(root + "docs/" + link[1]); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}

// TestImport from the command line, its documents on stdout and what it left out on stderr.
func TestImport(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "log.swf")
	if err := os.WriteFile(file, []byte("; MaxProcs: 8\n1 0 0 60 4 -1 -1 4 -1 -1 1 1 1 1 -1 -1 -1 -1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := invoke(t, nil, "import", "swf", file, "--peer", "p", "--start", "2026-12-07T00:00:00Z")
	if got.code != exitOK || !json.Valid([]byte(got.stdout)) || !strings.Contains(got.stdout, `"start":"2026-12-07T00:00:00Z"`) || !strings.Contains(got.stderr, "left out: columns") {
		t.Errorf("%+v", got)
	}
	for words, args := range map[string][]string{
		"no WfFormat": {"wfformat", file, "--peer", "p", "--resource", "r"},
		"--id":        {"wfformat", file, file, "--id", "w", "--peer", "p", "--resource", "r"},
		"no such":     {"swf", file + "2", "--peer", "p"},
		"--peer":      {"swf", file},
	} {
		if got := invoke(t, nil, append([]string{"import"}, args...)...); got.code != exitFailure || !strings.Contains(got.stderr, words) || got.stdout != "" {
			t.Errorf("%q: %+v", args, got)
		}
	}
}
