package deploy_test

import (
	"os"
	"testing"

	"oc-scheduler/internal/natstest"
)

// TestMain sets what nats.conf reads of its environment; each user's password is its name.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{
		"SERVER_NAME": "nats-1", "ROUTES": `["nats://route:route@nats-1:6222"]`, "ROUTE_PASSWORD": "route",
		"SCHEDULER_PASSWORD": "scheduler", "DEMO_NORTH_PASSWORD": "demo-north", "DEMO_SOUTH_PASSWORD": "demo-south",
		"DEMO_NORTH_2_PASSWORD": "demo-north-2", "BUS_PASSWORD": "bus",
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	natstest.VerifyTestMain(m)
}
