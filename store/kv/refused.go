package kv

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// nobody is a key that stands for no identifier: views and readers of ends pass over it.
const nobody = "=nobody"

// note is told the outcome of each write.
func (s *Stream) note(ctx context.Context, err error) {
	if ctx.Err() == nil {
		s.refusal.Note(s.js.Conn(), err)
	}
}

// Refused says why the stream takes no writes; nil when it does, as far as is known.
func (s *Stream) Refused() error { return s.refusal.Err() }

// Resolve has a stream that did not take the last write take another: a marker that nobody looks for, and
// that ends by itself. Of any other it asks nothing.
func (s *Stream) Resolve(ctx context.Context) {
	if !s.refusal.Doubtful() || !s.js.Conn().IsConnected() {
		return
	}
	attempt, cancel := context.WithTimeout(ctx, AttemptTimeout)
	defer cancel()
	m := Remove(time.Second).Message(BucketPrefix(s.layout.Bucket)+nobody, 0)
	m.Header.Del(jetstream.ExpectedLastSubjSeqHeader) // others try, too
	_, err := s.js.PublishMsg(attempt, m)
	s.note(ctx, err)
}
