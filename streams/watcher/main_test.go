package watcher_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childLedger); path != "" {
		os.Exit(storeUntilKilled(path))
	}
	goleak.VerifyTestMain(m)
}
