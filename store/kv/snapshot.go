package kv

import (
	"context"
	"time"

	"oc-scheduler/jet"
)

// catchUp is how long a member that serves a consumer may be behind the stream's leader. Others may have all.
const catchUp = time.Second

// snapshot is what a view is loaded from. The consumer may stand on a member that lacks the newest messages, or
// has none: that it has no more to deliver says nothing. Members store in the order of sequences; so the snapshot
// is complete when it has reached the newest message that the leader had when the loading began, or later.
type snapshot struct {
	standing func(context.Context) (uint64, error) // the sequence of the leader's newest message

	end      uint64 // to be reached
	exact    bool   // a message stood there; else the stream was numbered so far
	reached  uint64
	behind   time.Time // since when the member has had no more
	complete bool
}

// reach notes a message, behind which the member has others left. It says whether it may have been the last one.
func (s *snapshot) reach(sequence, left uint64) bool {
	s.reached = sequence
	return !s.complete && (sequence >= s.end || left == 0 && (!s.exact || time.Since(s.behind) > catchUp))
}

// ended says whether all has been seen that stands. The message that stood at the end may have gone since, or
// was never of the bucket, so that none of its sequence comes: then the leader is asked where the end is now. A
// member that does not get there ends the reading.
func (s *snapshot) ended(ctx context.Context, fail func(error)) bool {
	if s.reached < s.end {
		end, err := s.standing(ctx)
		if err == nil {
			s.end, s.exact = end, true
		}
	}
	if s.complete = s.reached >= s.end; s.complete {
		return true
	}
	if s.behind.IsZero() {
		s.behind = time.Now()
	}
	if time.Since(s.behind) > catchUp {
		fail(jet.ErrBehind)
	}
	return false
}
