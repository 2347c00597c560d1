package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// amounts are as they stand in a planner: numbers, flat or one level deep.
type amounts map[string]json.RawMessage

// plannerDoc is a planner for the eye; what counts for answers is read by package planner.
type plannerDoc struct {
	PeerID      string                        `json:"peer_id"`
	GeneratedAt time.Time                     `json:"generated_at"`
	ExpiresAt   time.Time                     `json:"expires_at"`
	Capacities  map[string]map[string]amounts `json:"capacities"`
	Schedule    map[string][]slotDoc          `json:"schedule"`
}

type slotDoc struct {
	Start      time.Time `json:"start"`
	End        time.Time `json:"end"`
	InstanceID string    `json:"instance_id"`
	BookingID  string    `json:"booking_id"`
	Usage      *amounts  `json:"usage"`
}

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
		slices.SortStableFunc(slots, func(a, b slotDoc) int { return a.Start.Compare(b.Start) })
		for _, s := range slots {
			t.row(resource, cmp.Or(s.InstanceID, "every"), s.Start, s.End, s.BookingID, s.usage())
		}
	}
	return t.flush()
}

func (s slotDoc) usage() string {
	if s.Usage == nil {
		return "all of it"
	}
	return s.Usage.String()
}

// String lists the amounts by name, deeper ones as the contract names them: cpu_cores.x86_64=8.
func (a amounts) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(a)) {
		var deeper map[string]json.RawMessage
		if json.Unmarshal(a[name], &deeper) != nil {
			parts = append(parts, fmt.Sprintf("%s=%s", name, a[name]))
			continue
		}
		for _, sub := range slices.Sorted(maps.Keys(deeper)) {
			parts = append(parts, fmt.Sprintf("%s.%s=%s", name, sub, deeper[sub]))
		}
	}
	return strings.Join(parts, " ")
}
