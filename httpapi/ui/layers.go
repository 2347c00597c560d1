package ui

import (
	"fmt"
	"strings"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/planner"
)

// Layers are one peer's planner three times, each with more that counts, so that a timeline can tell whose it is:
// what the peer's planner tells of, what of ours is booked beside it, and what is held for a while.
type Layers struct{ Planner, Booked, All *planner.Index }

// LayersOf lays what stands over what a planner tells.
func LayersOf(x *planner.Index, o *planner.Overlay) *Layers {
	return &Layers{
		Planner: x.With(o.Only(func(string) bool { return false })),
		Booked:  x.With(o.Only(func(owner string) bool { return !strings.HasPrefix(owner, booking.HoldPrefix) })),
		All:     x.With(o),
	}
}

// instance is one of a resource, in each layer.
func (l *Layers) instance(resourceID, instanceID string) layered {
	return layered{
		l.Planner.Resource(resourceID).Instance(instanceID), l.Booked.Resource(resourceID).Instance(instanceID),
		l.All.Resource(resourceID).Instance(instanceID),
	}
}

// layered is an instance in each layer, the one with the least first.
type layered [3]*planner.Instance

// layerNames are whose use a layer adds, as classes of shapes have it.
var layerNames = [3]string{"planner", "ours", "held"}

func (l layered) all() *planner.Instance { return l[2] }

// uses are those of the layers; one that is like the one below it is nil.
func (l layered) uses(of func(*planner.Instance) use) (uses [3]use) {
	for i, instance := range l {
		if i == 0 || instance != l[0] {
			uses[i] = of(instance)
		}
	}
	return uses
}

// Use is what is in use up to a layer.
type Use struct {
	Layer string // planner, ours or held
	Path  string // of an SVG: see area
}

// drawn are the layers that show, the highest first: what sticks out of a lower one is the higher one's own.
func drawn(s scale, uses [3]use) (list []Use) {
	below := ""
	for i, use := range uses {
		if use == nil {
			continue
		}
		if path := area(s, use); path != below {
			list = append([]Use{{layerNames[i], path}}, list...)
			below = path
		}
	}
	return list
}

// most is how much each layer takes of a window at most, in words.
func most(uses [3]use, window planner.Interval) string {
	if window.Start >= window.End {
		return ""
	}
	var parts [3]float64
	for i, use := range uses {
		switch {
		case use != nil:
			parts[i] = use(window.Start, window.End)
		case i > 0:
			parts[i] = parts[i-1]
		}
	}
	if parts[2] == 0 {
		return "nothing of it is taken in the window"
	}
	words := fmt.Sprintf("taken in the window: %s by the peer's own bookings", percent(parts[0]))
	if parts[1] > parts[0] {
		words += fmt.Sprintf(", %s with schedules", percent(parts[1]))
	}
	if parts[2] > parts[1] {
		words += fmt.Sprintf(", %s with holds", percent(parts[2]))
	}
	return words + " at most"
}

// percent rounds so that only nothing is 0 % and only all is 100 %.
func percent(part float64) string {
	switch p := part * 100; {
	case part <= 0:
		return "0 %"
	case part >= 1:
		return "100 %"
	case p < 1:
		return "below 1 %"
	case p > 99:
		return "above 99 %"
	default:
		return fmt.Sprintf("%.0f %%", p)
	}
}
