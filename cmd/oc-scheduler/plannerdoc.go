package main

import (
	"encoding/json"
	"fmt"
	"io"
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
	Schedule    map[string][]struct {
		Start      time.Time `json:"start"`
		End        time.Time `json:"end"`
		InstanceID string    `json:"instance_id"`
		BookingID  string    `json:"booking_id"`
		Usage      *amounts  `json:"usage"`
	} `json:"schedule"`
}

func (p *plannerDoc) print(w io.Writer) error {
	head := newTable(w, "PEER GENERATED EXPIRES")
	head.row(p.PeerID, p.GeneratedAt, p.ExpiresAt)
	capacities := newTable(w, "\nRESOURCE INSTANCE CAPACITY")
	for _, resource := range slices.Sorted(maps.Keys(p.Capacities)) {
		instances := p.Capacities[resource]
		for _, instance := range slices.Sorted(maps.Keys(instances)) {
			capacities.row(resource, instance, instances[instance])
		}
	}
	booked := newTable(w, "\nRESOURCE INSTANCE START END BOOKING USAGE")
	for _, resource := range slices.Sorted(maps.Keys(p.Schedule)) {
		for _, slot := range p.Schedule[resource] {
			instance, usage := slot.InstanceID, "all of it"
			if instance == "" {
				instance = "(every)"
			}
			if slot.Usage != nil {
				usage = slot.Usage.String()
			}
			booked.row(resource, instance, slot.Start, slot.End, slot.BookingID, usage)
		}
	}
	for _, t := range []*table{head, capacities, booked} {
		if err := t.flush(); err != nil {
			return err
		}
	}
	return nil
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
