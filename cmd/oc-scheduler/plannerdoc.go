package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"oc-scheduler/client"
)

// plannerDoc is a planner as a replica shows it.
type plannerDoc client.Planner

// print shows whose planner it is, what there is, and what of it is booked.
func (p *plannerDoc) print(w *paper) error {
	head := newTable(w, "PEER GENERATED EXPIRES")
	head.row(p.PeerID, rough(p.GeneratedAt), rough(p.ExpiresAt))
	if err := head.flush(); err != nil {
		return err
	}
	if err := p.printCapacities(w); err != nil {
		return err
	}
	return p.printBookings(w)
}

func (p *plannerDoc) printCapacities(w *paper) error {
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	t := newTable(w, "RESOURCE INSTANCE CAPACITY")
	for _, resource := range slices.Sorted(maps.Keys(p.Capacities)) {
		instances := p.Capacities[resource]
		for _, instance := range slices.Sorted(maps.Keys(instances)) {
			t.row(resource, instance, instances[instance])
		}
	}
	return t.flush()
}

func (p *plannerDoc) printBookings(w *paper) error {
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	t := newTable(w, "RESOURCE INSTANCE START END BOOKING USAGE")
	for _, resource := range slices.Sorted(maps.Keys(p.Schedule)) {
		slots := p.Schedule[resource]
		slices.SortStableFunc(slots, func(a, b client.Slot) int { return a.Start.Compare(b.Start) })
		for _, s := range slots {
			t.row(resource, cmp.Or(s.InstanceID, "every"), s.Start, s.End, s.BookingID, usageOf(s))
		}
	}
	return t.flush()
}

func usageOf(s client.Slot) string {
	if s.Usage == nil {
		return "all of it"
	}
	return s.Usage.String()
}
