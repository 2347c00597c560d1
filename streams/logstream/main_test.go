package logstream_test

import (
	"testing"

	"oc-scheduler/internal/natstest"
)

func TestMain(m *testing.M) {
	natstest.VerifyTestMain(m)
}
