package workflow_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"oc-scheduler/store/workflow"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const fixtures = "../../testdata/workflows"

// understood is what a golden file holds.
type understood struct {
	Needs    []workflow.Need `json:"needs,omitempty"`
	Peers    []string        `json:"peers,omitempty"`
	Steps    []workflow.Step `json:"steps,omitempty"`
	Duration string          `json:"duration,omitempty"`
	Faults   error           `json:"faults,omitempty"`
}

func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(fixtures + "/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			golden := strings.TrimSuffix(file, ".json") + ".golden"
			got := understand(t, file)
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func understand(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var u understood
	w, err := workflow.Decode(data)
	if err != nil {
		u.Faults = err
	} else {
		u.Needs, u.Peers, u.Steps = w.Needs(), w.Peers(), w.Steps()
		if d, ok := w.Duration(); ok {
			u.Duration = d.String()
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(u); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
