package client_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestThePageShowsWhatRuns: each line of what docs/clients.md shows stands in the examples, in this order.
func TestThePageShowsWhatRuns(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	left := string(examples)
	blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllStringSubmatch(string(page), -1)
	if len(blocks) == 0 {
		t.Fatal("it shows nothing")
	}
	for _, block := range blocks {
		for line := range strings.Lines(block[1]) {
			_, behind, runs := strings.Cut(left, "\t"+strings.TrimSpace(line)+"\n")
			if !runs {
				t.Fatalf("%q is in no example behind what stands before it", line)
			}
			left = behind
		}
	}
}
