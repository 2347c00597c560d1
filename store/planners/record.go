package planners

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/offer"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/timetext"
)

// Record is a stored planner.
type Record struct {
	*planner.Planner
	FirstSeenAt time.Time // when its life began
	ReceivedAt  time.Time // when this version arrived on the bus
	ExpiresAt   time.Time // when its life ends
	SourceSeq   uint64    // of this version on the bus; 0 when written by hand, or composed
	Composed    bool      // it is made of what the peer's nodes offer

	past   past
	byHand bool // written without TTL or without the four fields: not yet a life of ours
}

func (r Record) life(revision uint64) life {
	if r.Planner == nil {
		return life{}
	}
	return life{
		revision: revision, firstSeen: r.FirstSeenAt, expires: r.ExpiresAt, received: r.ReceivedAt,
		generated: asCounted(r.GeneratedAt(), r.ReceivedAt), seq: r.SourceSeq, past: r.past,
	}
}

// record is the planner as it is stored with this life.
func (l life) record(pl *planner.Planner) Record {
	return Record{
		Planner:     pl,
		FirstSeenAt: l.firstSeen.UTC(),
		ReceivedAt:  l.received.UTC(),
		ExpiresAt:   l.expires.UTC(),
		SourceSeq:   l.seq,
		past:        past{l.past.seq, l.past.received.UTC(), l.past.ended.UTC()},
	}
}

// decodeOwn is decode for the view, which mostly meets what this replica has stored itself.
func (p *Planners) decodeOwn(key kv.Key, m kv.Message) (Record, error) {
	if r, ok := p.echoes.meet(key.ID(), m.Header, m.Data); ok {
		return r, nil
	}
	return p.decode(key, m)
}

// decode reads a stored planner.
func (p *Planners) decode(key kv.Key, m kv.Message) (Record, error) {
	r, err := recordOf(key.ID(), m.Header, m.Data)
	if err != nil || !r.byHand {
		return r, err
	}
	return p.adopted(r, m.Stored), nil
}

// adopted is a planner that was written by hand: it counts from when it was stored.
func (p *Planners) adopted(r Record, stored time.Time) Record {
	stored = stored.UTC()
	r.FirstSeenAt, r.ReceivedAt, r.ExpiresAt, r.SourceSeq = stored, stored, stored.Add(p.ttl), 0
	return r
}

// recordOf reads what stands in the bucket.
func recordOf(peerID string, h nats.Header, data []byte) (Record, error) {
	if most := MaxBytes + lifeBytes; len(data) > most {
		return Record{}, fmt.Errorf("%w: %w: %d bytes, at most %d", kv.ErrUndecodable, kv.ErrTooLarge, len(data), most)
	}
	var f lifeFields
	decode := planner.Decode
	if isComposed(h) {
		decode = offer.DecodePlanner
	}
	pl, err := decode(data, f.read)
	if err != nil {
		return Record{}, fmt.Errorf("%w: %w", kv.ErrUndecodable, err)
	}
	if pl.PeerID() != peerID {
		return Record{}, fmt.Errorf("%w: the planner of another peer stands under this key", kv.ErrUndecodable)
	}
	r := Record{pl, f.firstSeen, f.received, f.expires, f.seq, isComposed(h), pastOf(h), f.found != allFields || byHand(h)}
	if r.Composed {
		pl.Warn(f.warnings...)
	}
	return r, nil
}

// byHand says whether a value has no end, as none of ours.
func byHand(h nats.Header) bool {
	ttl := h.Get(jetstream.MsgTTLHeader)
	return ttl == "" || ttl == "never"
}

// lifeFields takes the four fields from a stored value; found notes which of them are sound. The warnings are
// those of a composed planner.
type lifeFields struct {
	firstSeen, received, expires time.Time
	seq                          uint64
	found                        uint8
	warnings                     []string
}

const allFields = 1<<4 - 1

func (f *lifeFields) read(name, value []byte) {
	switch string(name) {
	case firstSeenField:
		f.time(&f.firstSeen, 0, value)
	case receivedField:
		f.time(&f.received, 1, value)
	case expiresField:
		f.time(&f.expires, 2, value)
	case seqField:
		if seq, err := strconv.ParseUint(string(value), 10, 64); err == nil {
			f.seq = seq
			f.found |= 1 << 3
		}
	case warningsField:
		_ = json.Unmarshal(value, &f.warnings) // whoever else writes such a member means something else
	}
}

func (f *lifeFields) time(into *time.Time, bit int, value []byte) {
	var buffer [64]byte
	text, err := jsontext.AppendUnquote(buffer[:0], value)
	if err != nil {
		return
	}
	if ns, err := timetext.Instant(text); err == nil {
		*into = time.Unix(0, ns).UTC()
		f.found |= 1 << bit
	}
}
