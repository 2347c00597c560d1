package natstest

import (
	"errors"

	"github.com/nats-io/nats-server/v2/server"
)

// embedded is a server that runs in this process.
type embedded struct{ *server.Server }

func embed(opts server.Options) (runner, error) {
	s, err := server.NewServer(&opts) // which keeps and changes what it is given
	if err != nil {
		return nil, err
	}
	s.Start()
	e := embedded{s}
	if !s.ReadyForConnections(patience) {
		e.stop()
		return nil, errors.New("does not accept connections")
	}
	return e, nil
}

func (e embedded) stop() {
	e.Shutdown()
	e.WaitForShutdown()
}

func (e embedded) kill() { e.stop() }
