// Package access decides who may do what: a subject has a role and groups, a route needs a right, and what is
// kept belongs to groups. What it decides depends on its arguments alone, so every replica decides alike. The
// package is pure: no I/O, no goroutine, no clock.
package access

import (
	"slices"
	"time"
)

// Subject is somebody who asks for something. It is immutable, so any number of requests may share it.
type Subject struct {
	ID     string // who it is, as logs and created_by name it: token:<id>, anonymous
	Name   string // for people
	Role   Role
	Groups []string  // sorted, each once
	Since  time.Time // when it was given all this
	End    time.Time // when it may nothing any more; zero: never
}

// Anonymous is everybody where nobody has to say who he is.
var Anonymous = &Subject{ID: "anonymous", Name: "anonymous", Role: Admin}

// Same says whether both are one subject, which may do the same by the same gift.
func (s *Subject) Same(o *Subject) bool {
	return s == o || s.ID == o.ID && s.Role == o.Role && s.Since.Equal(o.Since) && s.End.Equal(o.End) && slices.Equal(s.Groups, o.Groups)
}

// Ended says whether the subject's time was over at a moment.
func (s *Subject) Ended(at time.Time) bool { return !s.End.IsZero() && !at.Before(s.End) }

// Everywhere says whether the subject is at home in all groups.
func (s *Subject) Everywhere() bool { return s.Role >= Operator }

// Sees says whether what belongs to some groups is there for the subject. What belongs to none is everybody's.
func (s *Subject) Sees(groups []string) bool {
	return len(groups) == 0 || s.Everywhere() || slices.ContainsFunc(groups, s.in)
}

// MayGive says whether what the subject writes may belong to a group.
func (s *Subject) MayGive(group string) bool { return s.Everywhere() || s.in(group) }

func (s *Subject) in(group string) bool {
	_, found := slices.BinarySearch(s.Groups, group)
	return found
}

// GroupsOf is a list of groups in its only form: sorted, each once; nil when there are none.
func GroupsOf(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	groups := slices.Clone(names)
	slices.Sort(groups)
	return slices.Compact(groups)
}
