package offer

import (
	"slices"
	"strings"
	"unique"

	"oc-scheduler/store/planner"
)

// MaxBytes is the largest offer that is read, and the largest planner that is composed.
const MaxBytes = 4 << 20

// Offer is what one node has, and what is booked of it. It is immutable.
type Offer struct {
	resources  []resource // by id
	warnings   []string
	bookings   []string // their ids, sorted
	digest     [16]byte
	instances  int
	slots      int
	steps      int // see planner.Planner.Steps
	dimensions []unique.Handle[string]
}

// resource is what a node has of one resource.
type resource struct {
	id        string
	instances []instance // by id
	wide      []string   // slots that take all instances: their members, as JSON without braces
}

// instance is one unit that a node has.
type instance struct {
	id      string
	amounts string   // JSON
	slots   string   // JSON, with commas between
	ours    []string // likewise, each by itself: those that are bookings of ours
}

// Digest names what the offer says, however it was written.
func (o *Offer) Digest() [16]byte { return o.digest }

// Counts is how many resources and instances are offered, and how many slots on them are booked.
func (o *Offer) Counts() (resources, instances, slots int) {
	return len(o.resources), o.instances, o.slots
}

// Warnings says which bookings are ignored, because the offer lacks their resource or instance. The caller must
// not change them.
func (o *Offer) Warnings() []string { return o.warnings }

// Bookings are the ids of what is booked, sorted. The caller must not change them.
func (o *Offer) Bookings() []string { return o.bookings }

// Has says whether an instance of a resource is offered.
func (o *Offer) Has(ref planner.Ref) bool {
	r, ok := o.resource(ref.ResourceID)
	if !ok {
		return false
	}
	_, ok = r.instance(ref.InstanceID)
	return ok
}

// Refs are the instances that are offered, by resource and instance.
func (o *Offer) Refs() []planner.Ref {
	refs := make([]planner.Ref, 0, o.instances)
	for _, r := range o.resources {
		for _, i := range r.instances {
			refs = append(refs, planner.Ref{ResourceID: r.id, InstanceID: i.id})
		}
	}
	return refs
}

func (o *Offer) resource(id string) (*resource, bool) {
	at, ok := slices.BinarySearchFunc(o.resources, id, func(r resource, id string) int { return strings.Compare(r.id, id) })
	if !ok {
		return nil, false
	}
	return &o.resources[at], true
}

func (r *resource) instance(id string) (*instance, bool) {
	at, ok := slices.BinarySearchFunc(r.instances, id, func(i instance, id string) int { return strings.Compare(i.id, id) })
	if !ok {
		return nil, false
	}
	return &r.instances[at], true
}
