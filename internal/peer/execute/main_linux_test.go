package execute_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"oc-scheduler/internal/peer/execute"
)

func TestMain(m *testing.M) {
	execute.Keep() // the tests' executable is its own keeper
	if dir := os.Getenv(nodeVariable); dir != "" {
		fmt.Fprintln(os.Stderr, beNode(dir))
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}
