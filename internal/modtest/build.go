// Package modtest builds programs that only tests need, and whose modules lie apart so that the product needs nothing
// of them.
package modtest

import (
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
)

// Build builds a program of the module in a directory, "." being the module's own, and returns its path.
func Build(t testing.TB, module, program string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "program")
	args := []string{"build", "-C", module, "-o", binary}
	if info, told := debug.ReadBuildInfo(); told && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		args = append(args, "-race") // which shares what was built for this test
	}
	build := exec.CommandContext(t.Context(), "go", append(args, program)...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}
