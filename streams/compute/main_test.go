package compute_test

import (
	"fmt"
	"os"
	"testing"

	"oc-scheduler/internal/natstest"
)

// Asked by the environment, the test binary is a node that a test may kill.
func TestMain(m *testing.M) {
	if url := os.Getenv(nodeVariable); url != "" {
		if err := beNode(url, os.Getenv(ledgerVariable)); err != nil {
			_, _ = fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	natstest.VerifyTestMain(m)
}
