package kv

import (
	"bytes"
	"maps"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	opHeader = "KV-Operation"
	opDelete = "DEL"
	opPurge  = "PURGE"
)

// Write is what is to become the newest message of a key. It is not changed once it is given away.
type Write struct {
	Data   []byte
	TTL    time.Duration // 0: for ever; rounded up to whole seconds
	Marker bool          // a removal: no data
	Header nats.Header   // kept with it
}

// Remove is the write of a marker that stays for ttl; 0: for ever.
func Remove(ttl time.Duration) *Write { return &Write{Marker: true, TTL: ttl} }

// Message is the write as it is published, to follow a revision (0: nothing).
func (w *Write) Message(subject string, revision uint64) *nats.Msg {
	m := nats.NewMsg(subject)
	m.Data = w.Data
	maps.Copy(m.Header, w.Header)
	m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(revision, 10))
	if w.TTL > 0 {
		m.Header.Set(jetstream.MsgTTLHeader, WholeSeconds(w.TTL).String())
	}
	if w.Marker {
		m.Header.Set(opHeader, opPurge)
	}
	return m
}

// outliving is the write, but for a marker that stands for at least as long as the value would have that it
// removes: see Tombstones.
func (w *Write) outliving(last Message) *Write {
	ttl, err := time.ParseDuration(last.Header.Get(jetstream.MsgTTLHeader))
	if err != nil || !last.Live() || !w.Marker || w.TTL == 0 || w.TTL >= ttl {
		return w
	}
	longer := *w
	longer.TTL = ttl
	return &longer
}

// made says whether m, found after a try whose outcome was unknown, is what this write would store.
func (w *Write) made(m Message) bool {
	if w.Marker == m.Live() || !bytes.Equal(w.Data, m.Data) {
		return false
	}
	for name := range w.Header {
		if w.Header.Get(name) != m.Header.Get(name) {
			return false
		}
	}
	return true
}

// WholeSeconds is d rounded up to whole seconds, at least one: the server cuts a TTL to seconds and refuses
// less.
func WholeSeconds(d time.Duration) time.Duration {
	return max((d+time.Second-1)/time.Second, 1) * time.Second
}
