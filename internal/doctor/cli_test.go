package doctor_test

import (
	_ "embed" // the flags of natscli
	"regexp"
	"slices"
	"strings"
	"testing"

	"oc-scheduler/internal/doctor"
)

//go:embed testdata/natscli-0.5.0.txt
var natscli string

// flagsOf are the flags of natscli by command.
func flagsOf() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(natscli) {
		command, rest, found := strings.Cut(line, ":")
		if !found {
			continue
		}
		for flag := range strings.FieldsSeq(rest) {
			if name, either := strings.CutPrefix(flag, "--[no-]"); either {
				all[command] = append(all[command], "--no-"+name)
				flag = "--" + name
			}
			all[command] = append(all[command], flag)
		}
	}
	return all
}

var (
	printedCommand = regexp.MustCompile("`(nats [^`]+)`")
	placeholder    = regexp.MustCompile(`\b[A-Z]{3,}\b( |$)`)
	names          = regexp.MustCompile(`\b(KV_\w+|OC_\w+|THEIRS)\b`)
)

// runnable checks that each command of natscli that findings print has a name and flags which that has, and
// nothing left to fill in.
func runnable(t *testing.T, findings []doctor.Finding) {
	t.Helper()
	all := flagsOf()
	for _, f := range findings {
		for _, m := range printedCommand.FindAllStringSubmatch(f.Mend, -1) {
			words := strings.Fields(m[1])[1:]
			for len(words) > 1 && strings.HasPrefix(words[0], "--") {
				if !slices.Contains(all["nats"], words[0]) {
					t.Errorf("%s: no flag %s", m[1], words[0])
				}
				words = words[2:]
			}
			command := commandOf(all, words)
			if command == "" {
				t.Errorf("no such command: %s", m[1])
				continue
			}
			if placeholder.MatchString(names.ReplaceAllString(m[1], "name")) {
				t.Errorf("to be filled in: %s", m[1])
			}
			for _, word := range words {
				flag, _, _ := strings.Cut(word, "=")
				if strings.HasPrefix(word, "-") && !slices.Contains(all[command], flag) {
					t.Errorf("%s: no flag %s", m[1], flag)
				}
			}
		}
	}
}

func commandOf(all map[string][]string, words []string) string {
	for n := min(len(words), 3); n > 0; n-- {
		if command := strings.Join(words[:n], " "); all[command] != nil {
			return command
		}
	}
	return ""
}
