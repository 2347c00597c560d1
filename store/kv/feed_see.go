package kv

import "github.com/nats-io/nats.go"

// Seer sees the messages of a space of which no view is kept. Its methods are called from the goroutine of Run and must not
// block.
type Seer interface {
	// Anew says that all that stands is going to be seen again: what was seen before may have gone without a word since, and
	// what comes first may be older than it.
	Anew()
	// See is called with each message, markers too.
	See(Key, Message)
	// Whole says that all that stands was seen, and what stood whenever one was seen before.
	Whole()
}

type seer struct {
	of Space
	Seer
}

// Show shows the messages of a space to a seer. It is called before Run.
func (f *Feed) Show(of Space, to Seer) { f.seers = append(f.seers, seer{of, to}) }

func (f *Feed) show(m *nats.Msg, md *nats.MsgMetadata) {
	for _, s := range f.seers {
		if s.of.Holds(m.Subject) {
			s.See(s.of.Key(m.Subject), Message{md.Sequence.Stream, m.Header, m.Data, md.Timestamp})
		}
	}
}
