package natstest

import (
	"testing"

	"go.uber.org/goleak"
)

// VerifyTestMain runs the tests of a package and fails when goroutines are left over. Those are
// forgiven that nats-server itself leaves behind now and then when it stops while a stream is being
// created; a product's own never run these functions.
func VerifyTestMain(m *testing.M) {
	const server = "github.com/nats-io/nats-server/v2/server"
	ServeIfAsked()
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction(server+".(*fileStore).flushStreamStateLoop"),
		goleak.IgnoreAnyFunction(server+"/ats.Register.func1"),
	)
}
