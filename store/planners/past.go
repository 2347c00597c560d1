package planners

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/origin"
)

// Headers of a planner and of the marker that ends it. A marker needs no time: it was stored at the end.
const (
	sinceHeader    = "Oc-Since"         // when the lives before it ended
	lastSeqHeader  = "Oc-Last-Seq"      // the last arrival of these lives that is known,
	lastTimeHeader = "Oc-Last-Received" // and when it arrived
)

// MaxSkew is how far the clocks of NATS servers may be apart: within it no planner that answers a
// request is taken for one of a life that is over.
const MaxSkew = time.Second

// past says which arrivals belong to lives that are over. Those up to the last one that was known when
// they ended are told by the numbers of the bus. Others only by the time of the end, which was told by
// another server than that of their arrival: the difference must be more than that of two clocks.
type past struct {
	seq      uint64    // of that last one; 0: none is known
	received time.Time // when it arrived: the numbers of a bus that was made later mean something else
	ended    time.Time // zero: there was no life before
}

func (p past) covers(src origin.Source) bool {
	numbered := src.Seq > 0 && src.Seq <= p.seq && !p.received.Before(src.Bus)
	return numbered || src.Time.Before(p.ended.Add(-MaxSkew))
}

func (p past) equal(o past) bool {
	return p.seq == o.seq && p.received.Equal(o.received) && p.ended.Equal(o.ended)
}

// ended is what a marker leaves. The server, or an operator, who writes one knows no numbers.
func ended(marker kv.Message) life {
	l := life{revision: marker.Revision, past: pastOf(marker.Header)}
	l.past.ended = marker.Stored
	return l
}

// over is the past of what follows this life.
func (l life) over() past {
	p := l.past
	if !l.firstSeen.IsZero() {
		p.ended = l.expires
	}
	if l.seq > 0 {
		p.seq, p.received = l.seq, l.received
	}
	return p
}

// header is the past as it is kept with a planner, or with a marker.
func (p past) header() nats.Header {
	h := nats.Header{}
	if !p.ended.IsZero() {
		h.Set(sinceHeader, p.ended.UTC().Format(time.RFC3339Nano))
	}
	if p.seq > 0 {
		h.Set(lastSeqHeader, strconv.FormatUint(p.seq, 10))
		h.Set(lastTimeHeader, p.received.UTC().Format(time.RFC3339Nano))
	}
	return h
}

// pastOf reads the headers; what they do not tell is zero.
func pastOf(h nats.Header) (p past) {
	p.ended = timeOf(h, sinceHeader)
	if text := h.Get(lastSeqHeader); text != "" {
		p.seq, _ = strconv.ParseUint(text, 10, 64)
		p.received = timeOf(h, lastTimeHeader)
	}
	return p
}

func timeOf(h nats.Header, name string) time.Time {
	text := h.Get(name)
	if text == "" { // nearly always
		return time.Time{}
	}
	t, _ := time.Parse(time.RFC3339Nano, text) // zero when it fails
	return t
}

// number writes a marker anew that the server or an operator has written, with what they did not know;
// then stands is false, for the end to handle is that of the new marker. It fails with kv.ErrUnavailable.
func (p *Planners) number(ctx context.Context, end End) (stands bool, err error) {
	newest, err := p.onBus(ctx)
	if err != nil || newest.Seq == 0 { // without a bus there is nothing to tell
		return true, err
	}
	w := p.marked(end.Cause, "", past{seq: newest.Seq, received: newest.Time})
	if _, err = p.keys.Swap(ctx, kv.KeyOf(end.PeerID), end.Revision, w); errors.Is(err, kv.ErrConflict) {
		err = nil // it is overtaken
	}
	return false, err
}

// marked is the write of a marker; end names what it stands for, or is empty. An operator's has no reason.
func (p *Planners) marked(cause Cause, end string, last past) *kv.Write {
	h := last.header()
	if cause != Deleted {
		h.Set(reasonHeader, cause.String())
	}
	if end != "" {
		h.Set(endHeader, end)
	}
	return &kv.Write{Marker: true, TTL: max(markerTTL, p.ttl), Header: h}
}
