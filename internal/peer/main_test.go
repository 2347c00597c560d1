package peer_test

import (
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/internal/peer/execute"
)

func TestMain(m *testing.M) {
	execute.Keep() // the tests' executable is the keeper of its executions
	natstest.VerifyTestMain(m)
}
