package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
)

const (
	busRead  = 200     // events, of the newest
	busBytes = 8 << 20 // of them, about
)

// ignored looks for planners on the bus that are of no effect, because their peers have nodes.
func (e *exam) ignored(ctx context.Context) {
	info := e.streams[events.Stream]
	if info == nil || len(e.crews) == 0 {
		return
	}
	published, err := e.published(ctx, info)
	if err != nil {
		e.unknown(fmt.Sprintf("events cannot be read: %v", err), "give this user the right to read "+events.Stream)
		return
	}
	peers := map[string]bool{}
	for _, peerID := range e.crews {
		peers[peerID] = published[peerID]
	}
	maps.DeleteFunc(peers, func(_ string, published bool) bool { return !published })
	if len(peers) > 0 {
		e.warn(fmt.Sprintf("planners on the bus that are ignored, for these peers have nodes: %s", some(slices.Collect(maps.Keys(peers)))),
			"let discovery publish none of them; or `oc-scheduler nodes remove` their nodes")
	}
}

// published are the peers of whom others have published planners of late.
func (e *exam) published(ctx context.Context, info *jetstream.StreamInfo) (map[string]bool, error) {
	stream, err := e.js.Stream(ctx, info.Config.Name)
	if err != nil {
		return nil, err
	}
	peers, bytes, read := map[string]bool{}, 0, 0
	for seq := info.State.LastSeq; seq >= info.State.FirstSeq && seq > 0 && read < busRead && bytes < busBytes; seq-- {
		event, err := stream.GetMsg(ctx, seq)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if e.Now().Sub(event.Time) > knocking {
			break
		}
		if event.Subject == events.Propagation && event.Header.Get(events.HeaderComposed) == "" {
			peers[plannerOf(event.Data)] = true
		}
		read, bytes = read+1, bytes+len(event.Data)
	}
	return peers, nil
}

// plannerOf is the peer whose planner an event publishes; empty: it is another event.
func plannerOf(data []byte) string {
	envelope, err := events.DecodeEnvelope(data)
	if err != nil || envelope.FromApp != events.FromDiscovery {
		return ""
	}
	p, err := events.DecodePropagated(envelope.Payload)
	if err != nil || !strings.EqualFold(p.Action, events.ActionPlanner) {
		return ""
	}
	var planner struct {
		PeerID string `json:"peer_id"`
	}
	if json.Unmarshal(p.Payload, &planner) != nil {
		return ""
	}
	return planner.PeerID
}
