package ui

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/planner"
)

// Answer is the result of a check as clients read it: the page shows what they see, whatever made it.
type Answer struct {
	Version         string         `json:"version"`
	Status          booking.Status `json:"status"`
	Preemptible     bool           `json:"preemptible"`
	Start           time.Time      `json:"start"`
	End             time.Time      `json:"end"`
	NextSlot        *booking.Slot  `json:"next_slot"`
	Resources       []Placed       `json:"resources"`
	MissingPlanners []string       `json:"missing_planners"`
	Warnings        []string       `json:"warnings"`
}

// Placed is the answer for one item.
type Placed struct {
	ItemID     string         `json:"item_id"`
	PeerID     string         `json:"peer_id"`
	ResourceID string         `json:"resource_id"`
	InstanceID string         `json:"instance_id"` // empty: nowhere
	Status     booking.Status `json:"status"`
	Start      time.Time      `json:"start"` // zero: as the window
	End        time.Time      `json:"end"`
	Conflicts  []Conflict     `json:"conflicts"`
}

// Conflict is a stretch of time in which one dimension is short.
type Conflict struct {
	Start     time.Time   `json:"start"`
	End       time.Time   `json:"end"`
	Dimension string      `json:"dimension"`
	Requested json.Number `json:"requested"`
	Free      json.Number `json:"free"`
	By        []Taker     `json:"by"`
}

// Taker is who takes something in a conflict: a schedule, a hold, or the peer's planner.
type Taker struct {
	ScheduleID string `json:"schedule_id"`
	HoldID     string `json:"hold_id"`
	Planner    bool   `json:"planner"`
}

// ReadAnswer reads the frame of a check stream.
func ReadAnswer(frame []byte) (a Answer, err error) {
	if err = json.Unmarshal(frame, &a); err != nil {
		return a, fmt.Errorf("the answer of a check: %w", err)
	}
	return a, nil
}

// Window is what the answer is about.
func (a *Answer) Window() planner.Interval {
	return planner.Interval{Start: a.Start.UnixNano(), End: a.End.UnixNano()}
}

// Length is how long the window is, as people write it.
func (a *Answer) Length() string { return lengthOf(a.End.Sub(a.Start)) }

// within is when the item needs its instance.
func (p *Placed) within(a *Answer) planner.Interval {
	if p.Start.IsZero() {
		return a.Window()
	}
	return planner.Interval{Start: p.Start.UnixNano(), End: p.End.UnixNano()}
}

// Of is the answer for an item; nil when there is none.
func (a *Answer) Of(itemID string) *Placed {
	for i := range a.Resources {
		if a.Resources[i].ItemID == itemID {
			return &a.Resources[i]
		}
	}
	return nil
}

// Short is what is short.
func (c Conflict) Short() string {
	return fmt.Sprintf("%s: %s asked for, %s free", visible(c.Dimension), c.Requested, c.Free)
}

// Words are the conflict in a sentence without its times.
func (c Conflict) Words() string {
	words := c.Short()
	if len(c.By) == 0 {
		return words
	}
	takers := make([]string, len(c.By))
	for i, t := range c.By {
		switch {
		case t.ScheduleID != "":
			takers[i] = "schedule " + visible(t.ScheduleID)
		case t.HoldID != "":
			takers[i] = "hold " + visible(t.HoldID)
		default:
			takers[i] = "the peer's own bookings"
		}
	}
	return words + "; taken by " + strings.Join(takers, ", ")
}
