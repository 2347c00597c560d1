package nclprotocol

import (
	"context"
	"errors"
	"net"

	"github.com/nats-io/nats.go"
)

// Client is a ClientFactory for the connections of one node.
type Client struct {
	URL     string // of the NATS servers, separated by commas
	NodeID  string
	Options []nats.Option // e.g. credentials; they come after those that the factory sets itself
}

var _ ClientFactory = Client{}

// CreateClient connects, or fails when ctx ends. Answers come below InboxPrefix. The connection is
// closed when it is lost: its user makes another one, for what was under way is in doubt anyway.
func (c Client) CreateClient(ctx context.Context) (*nats.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d := &dialing{}
	opts := append([]nats.Option{
		nats.Name("oc-scheduler node " + c.NodeID),
		nats.CustomInboxPrefix(InboxPrefix(c.NodeID)),
		nats.NoReconnect(),
		nats.SkipHostLookup(), // the dialer does it, as long as ctx allows
		nats.SetCustomDialer(dialFunc(func(network, address string) (net.Conn, error) {
			return d.dial(ctx, network, address)
		})),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // the library's own writes to the output
	}, c.Options...)
	nc, err := nats.Connect(c.URL, opts...)
	if d.interrupted() {
		if nc != nil {
			nc.Close()
		}
		return nil, errors.Join(context.Cause(ctx), err)
	}
	return nc, err
}

type dialFunc func(network, address string) (net.Conn, error)

// Dial calls f.
func (f dialFunc) Dial(network, address string) (net.Conn, error) { return f(network, address) }

// dialing is the connections of one attempt, which one goroutine makes.
type dialing struct{ release []func() bool }

// dial connects, and has the connection closed when ctx ends: the greeting of a server that hangs ends
// with it, too.
func (d *dialing) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: nats.DefaultTimeout}
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	d.release = append(d.release, context.AfterFunc(ctx, func() { _ = conn.Close() }))
	return conn, nil
}

// interrupted lets the connections live; true when ctx has ended before.
func (d *dialing) interrupted() bool {
	cut := false
	for _, release := range d.release {
		cut = !release() || cut
	}
	return cut
}
