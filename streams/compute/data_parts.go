package compute

import (
	"context"
	"errors"

	"oc-scheduler/streams/dispatcher"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/guard"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

// bringUp starts the parts one after the other.
func (dp *DataPlane) bringUp(ctx context.Context) error {
	for _, part := range []struct {
		name  string
		start func(context.Context) error
	}{
		{"log streams", dp.startLogs},
		{"publisher", dp.startPublisher},
		{"dispatcher", dp.startDispatcher},
	} {
		if err := guard.Apart(func() error { return part.start(ctx) }); err != nil {
			return wrap(part.name, err)
		}
	}
	return nil
}

// takeDown stops the parts that are there, last first.
func (dp *DataPlane) takeDown(ctx context.Context) error {
	var faults []error
	if dp.Dispatcher != nil {
		faults = append(faults, wrap("dispatcher", dp.Dispatcher.Stop(ctx)))
	}
	if dp.Publisher != nil {
		faults = append(faults, wrap("publisher", dp.Publisher.Close(ctx)))
	}
	if dp.logs != nil {
		faults = append(faults, wrap("log streams", dp.logs.Stop(ctx)))
	}
	return errors.Join(faults...)
}

func (dp *DataPlane) startLogs(ctx context.Context) (err error) {
	c := dp.params.Config
	dp.logs, err = logstream.NewListener(logstream.ListenerConfig{
		Conn:   dp.Client,
		NodeID: c.NodeID,
		Server: c.LogStreamServer,
		Clock:  c.Clock,
		Logger: c.Logger,
	})
	if err != nil {
		return err
	}
	return dp.logs.Start(ctx)
}

func (dp *DataPlane) startPublisher(context.Context) (err error) {
	c := dp.params.Config
	dp.Publisher, err = ncl.NewOrderedPublisher(dp.Client, ncl.OrderedPublisherConfig{
		Codec: envelope.Codec{Serializer: c.MessageSerializer, Registry: c.MessageRegistry},
		Clock: c.Clock,
	})
	return err
}

// startDispatcher begins to send the events that the scheduler does not have.
func (dp *DataPlane) startDispatcher(ctx context.Context) (err error) {
	c := dp.params.Config
	dp.Dispatcher, err = dispatcher.New(c.DispatcherConfig, dispatcher.Params{
		Name:      "compute.outgoing." + c.NodeID,
		Subject:   nclprotocol.OutSubject(c.NodeID),
		After:     dp.params.LastReceivedSeqNum,
		Publisher: dp.Publisher,
		Store:     c.EventStore,
		Creator:   c.DataPlaneMessageCreator,
	})
	if err != nil {
		return err
	}
	return dp.Dispatcher.Start(ctx)
}
