package main

import (
	"strings"
	"testing"
)

// TestNumbersAreAsWritten: no flag, and no twin of one, means another number than it shows.
func TestNumbersAreAsWritten(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{
		"--max-streams=010", "--max-streams=0x10", "--max-streams=1_000", "--max-streams=+5", "--max-streams=0b1", "--max-streams=1e3", "--max-streams=",
		"--drain-grace=+5s", "--drain-grace=.5s", "--drain-grace=5.s", "--drain-grace=5", "--drain-grace=05s", "--drain-grace=1e3s",
	} {
		name, value, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
		got := invoke(t, nil, "serve", flag)
		if got.code != exitConfig || !strings.Contains(got.stderr, "--"+name+": expected") || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", flag, got)
		}
		if value == "" {
			continue // as if the twin were not there
		}
		twin := "OC_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		got = invoke(t, map[string]string{twin: value}, "serve")
		if got.code != exitConfig || !strings.Contains(got.stderr, twin+": expected") || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s=%s: %+v", twin, value, got)
		}
	}
}
