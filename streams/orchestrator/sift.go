package orchestrator

import (
	"errors"
	"fmt"
	"time"

	"oc-scheduler/store"
	"oc-scheduler/streams/envelope"
)

// patienceWithUnreadable is how often something unreadable may stand where the next event should be: the
// node is asked to send it again, and then it is given up.
const patienceWithUnreadable = 3

// maxJump is how many events in a row may yield no message: at a thousand a second they are made in 35
// years. A number beyond that is no event's, and would make duplicates of all that follow.
const maxJump = 1 << 40

// received is a message of the stream of events.
type received struct {
	nodeID   string
	position uint64 // in the stream
	stored   time.Time
	data     []byte
}

// event is one that is next in its ledger.
type event struct {
	received
	*envelope.Message
}

// letter is a message that can't be used.
type letter struct {
	received
	reason, detail string
}

// sieve sorts messages of one node by where they stand in its ledger.
type sieve struct {
	codec      envelope.Codec
	cursor     store.Cursor            // the last event that needs no handling any more
	unreadable int                     // since then
	ask        func() (ledgers, error) // which the node has had
	ledgers    *ledgers                // what ask said; nil: it was not asked
	events     []event                 // to be handled, in order
	dead       []letter                // to be set aside
	counts     map[string]int          // outcomes
	gap        string                  // what is missing; empty: nothing
	gapAt      uint64                  // where that was seen first
}

// sift sorts the messages. It fails as ask does.
func (s *sieve) sift(batch []received) error {
	s.counts = map[string]int{}
	for _, r := range batch {
		if err := s.one(r); err != nil {
			return err
		}
	}
	return nil
}

func (s *sieve) one(r received) error {
	encoded, err := s.codec.Serializer.Deserialize(r.data)
	if err != nil {
		s.unreadable++
		s.bury(r, reasonOf(err), err)
		return nil
	}
	if encoded.Source != s.cursor.Ledger {
		switch follows, err := s.follows(encoded.Source, r.position); {
		case err != nil:
			return err
		case !follows:
			s.counts[outcomeForeign]++ // of a ledger that is no more, or of a node that has no session
			return nil
		}
		s.cursor = store.Cursor{Ledger: encoded.Source}
	}
	switch last := s.cursor.Sequence; {
	case encoded.Sequence <= last:
		s.counts[outcomeDuplicate]++
	case encoded.Sequence-last > maxJump:
		s.unreadable++
		s.bury(r, "sequence", fmt.Errorf("event %d after %d", encoded.Sequence, last))
	case encoded.Previous > last && s.unreadable < patienceWithUnreadable:
		s.counts[outcomeGap]++
		if s.gap == "" {
			s.gap, s.gapAt = fmt.Sprintf("events after %d up to %d are missing", last, encoded.Previous), r.position
		}
	default:
		s.next(r, encoded)
	}
	return nil
}

// follows says whether the node's events go on in a ledger, at a position in the stream.
func (s *sieve) follows(ledger string, position uint64) (bool, error) {
	if s.ledgers == nil {
		had, err := s.ask()
		if err != nil {
			return false, err
		}
		s.ledgers = &had
	}
	return s.ledgers.follows(s.cursor.Ledger, ledger, position), nil
}

// next takes what is next in order. Its place is known even if its payload means nothing.
func (s *sieve) next(r received, encoded *envelope.EncodedMessage) {
	s.cursor.Sequence, s.unreadable = encoded.Sequence, 0
	m, err := s.codec.Registry.Deserialize(encoded)
	if err != nil {
		s.bury(r, reasonOf(err), err)
		return
	}
	m.StoredAt = r.stored
	s.counts[outcomeHandled]++
	s.events = append(s.events, event{r, m})
}

func (s *sieve) bury(r received, reason string, err error) {
	s.counts[outcomeDead]++
	s.dead = append(s.dead, letter{r, reason, err.Error()})
}

func reasonOf(err error) string {
	if _, ok := errors.AsType[*envelope.VersionError](err); ok {
		return "version"
	}
	if _, ok := errors.AsType[*envelope.TypeError](err); ok {
		return "type"
	}
	if errors.Is(err, envelope.ErrPayload) {
		return "payload"
	}
	return "damaged"
}
