package booking

import (
	"cmp"
	"slices"
	"strings"
)

// Taker is who takes something where there is not enough: one member is set.
type Taker struct {
	HoldID     string `json:"hold_id,omitempty"`
	Planner    bool   `json:"planner,omitempty"` // somebody that the planner tells of
	ScheduleID string `json:"schedule_id,omitempty"`
}

// Owner is the id of the schedule or hold; of the planner: none.
func (t Taker) Owner() string { return cmp.Or(t.HoldID, t.ScheduleID) }

// Owners are the schedules and holds that conflicts name, sorted.
func (r *Result) Owners() []string {
	var all []string
	for i := range r.Resources {
		for _, c := range r.Resources[i].Conflicts {
			for _, t := range c.By {
				if owner := t.Owner(); owner != "" {
					all = append(all, owner)
				}
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Without is the result for somebody from whom some schedules and holds, sorted, are hidden: conflicts do not name them,
// and its version is another one.
func (r *Result) Without(hidden []string) *Result {
	if len(hidden) == 0 {
		return r
	}
	shown := *r
	shown.Version = VersionWithout(r.Version, hidden)
	shown.Resources = slices.Clone(r.Resources)
	for i := range shown.Resources {
		conflicts := slices.Clone(shown.Resources[i].Conflicts)
		for k := range conflicts {
			conflicts[k].By = slices.DeleteFunc(slices.Clone(conflicts[k].By), func(t Taker) bool {
				_, hides := slices.BinarySearch(hidden, t.Owner())
				return hides
			})
		}
		shown.Resources[i].Conflicts = conflicts
	}
	return &shown
}

// HoldPrefix begins the ids of holds; other owners of bookings are schedules.
const HoldPrefix = "h-"

// Most conflicts have one of these; nobody changes them.
var nobody, plannerAlone = []Taker{}, []Taker{{Planner: true}}

// maxTakers is how many of them a conflict names.
const maxTakers = 16

// takers are those of a shortage, in the order of their JSON: holds by id, the planner, schedules by id.
func (l *lister) takers(c *candidate, whole bool, s shortage) []Taker {
	if !s.used {
		return nobody
	}
	var owners []string
	var planner bool
	if whole {
		owners, planner = c.instance.Occupants(s.Start, s.End)
	} else {
		owners, planner = c.instance.Takers(s.dimension, s.Start, s.End)
	}
	l.steps.spend(1 + len(owners))
	if len(owners) == 0 {
		return plannerAlone
	}
	list := make([]Taker, 0, min(1+len(owners), maxTakers))
	for _, owner := range owners {
		if len(list) == maxTakers {
			return list
		}
		if strings.HasPrefix(owner, HoldPrefix) {
			list = append(list, Taker{HoldID: owner})
			continue
		}
		if planner {
			list, planner = append(list, Taker{Planner: true}), false
		}
		list = append(list, Taker{ScheduleID: owner})
	}
	if planner {
		list = append(list, Taker{Planner: true})
	}
	return list[:min(len(list), maxTakers)]
}
