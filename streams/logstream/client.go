package logstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/nats-io/nats.go"

	"oc-scheduler/store/id"
)

// Defaults of a Client.
const (
	DefaultAnswerWithin = 5 * time.Second
	DefaultSilence      = 5 * time.Second
	DefaultNodeGone     = 8 * time.Second
	DefaultOutage       = time.Minute
)

// Client is the reading side of log streams. Only Conn is needed.
type Client struct {
	Conn *nats.Conn // stays the caller's

	AnswerWithin time.Duration   // the first answer of a node must come; 0: DefaultAnswerWithin
	Silence      time.Duration   // of a node, then the stream is asked for anew; 0: DefaultSilence
	NodeGone     time.Duration   // of silence, then the node counts as gone; 0: DefaultNodeGone
	Outage       time.Duration   // of Conn that is waited for, and after it, of the node; 0: DefaultOutage
	KeepAlive    time.Duration   // between signs of life to the node; 0: DefaultKeepAlive
	Clock        clockwork.Clock // nil: the real one
	Logger       *slog.Logger    // nil: none
}

// Open is Client.Open with defaults.
func Open(ctx context.Context, nc *nats.Conn, nodeID string, r Request) (Reader, error) {
	return Client{Conn: nc}.Open(ctx, nodeID, r)
}

// Open asks a node for the output of an execution, until ctx ends; it reads until Close. It fails with
// ErrNotFound, ErrNodeGone, a *ncl.RefusedError that says why the node does not serve it, a
// *envelope.VersionError, or ctx's error.
//
// The reader survives a loss of messages, of its own connection and of the node's: it goes on where it
// was, with nothing left out and nothing twice. Its Next fails, besides what Reader says, as Open
// does, with ErrLost when that does not help, and with ErrClosed. What has come is handed out first.
func (c Client) Open(ctx context.Context, nodeID string, r Request) (Reader, error) {
	if err := errors.Join(c.Validate(), id.Check(nodeID), r.Validate()); err != nil {
		return nil, fmt.Errorf("read logs: %w", err)
	}
	codec, err := newCodec()
	if err != nil {
		return nil, err
	}
	c.setDefaults()
	rd := newRemote(c, codec, nodeID, r)
	rd.start(ctx)
	select {
	case <-rd.opened:
		return rd, nil
	case <-rd.done:
		if rd.began || errors.Is(rd.err, io.EOF) {
			return rd, nil // it was over soon
		}
		return nil, rd.err
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), rd.Close())
	}
}

// Validate reports all that is wrong with c.
func (c Client) Validate() error {
	var errs []error
	if c.Conn == nil {
		errs = append(errs, errors.New("a Conn is missing"))
	}
	if min(c.AnswerWithin, c.Silence, c.NodeGone, c.Outage, c.KeepAlive) < 0 {
		errs = append(errs, errors.New("a duration is negative"))
	}
	return errors.Join(errs...)
}

func (c *Client) setDefaults() {
	c.AnswerWithin = cmp.Or(c.AnswerWithin, DefaultAnswerWithin)
	c.Silence = cmp.Or(c.Silence, DefaultSilence)
	c.NodeGone = cmp.Or(c.NodeGone, DefaultNodeGone)
	c.Outage = cmp.Or(c.Outage, DefaultOutage)
	c.KeepAlive = cmp.Or(c.KeepAlive, DefaultKeepAlive)
	c.Clock = cmp.Or(c.Clock, clockwork.NewRealClock())
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	c.Logger = c.Logger.With("component", "logstream")
}
