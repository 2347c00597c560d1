package booking

import (
	"strings"
)

// Taker is who takes something where there is not enough: one member is set.
type Taker struct {
	HoldID     string `json:"hold_id,omitempty"`
	Planner    bool   `json:"planner,omitempty"` // somebody that the planner tells of
	ScheduleID string `json:"schedule_id,omitempty"`
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
