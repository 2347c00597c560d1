package schedule

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/id"
	"oc-scheduler/store/planner"
)

// Booking is all that one owner, a schedule or a hold, takes of one instance. It is stored so, and told so to
// peers and on the bus.
type Booking struct {
	ID         string `json:"id"`
	ScheduleID string `json:"schedule_id,omitempty"`
	HoldID     string `json:"hold_id,omitempty"`
	WorkflowID string `json:"workflow_id"`
	Place
	Intervals   []Interval `json:"intervals"`
	ExpiresAt   time.Time  `json:"expires_at,omitzero"`   // a hold's: nothing is taken from then on
	Preemptible bool       `json:"preemptible,omitempty"` // others may displace it
}

// Place is an instance.
type Place struct {
	PeerID     string `json:"peer_id"`
	ResourceID string `json:"resource_id"`
	InstanceID string `json:"instance_id"`
}

// Ref is the instance within its peer.
func (p Place) Ref() planner.Ref {
	return planner.Ref{ResourceID: p.ResourceID, InstanceID: p.InstanceID}
}

// Interval is a time, half-open, in which a booking takes something for an item. Usage is the amounts as the
// item's demand was written; none: the whole instance.
type Interval struct {
	Start  time.Time       `json:"start"`
	End    time.Time       `json:"end"`
	ItemID string          `json:"item_id"`
	Usage  json.RawMessage `json:"usage,omitempty"`
}

// Owner is whose the booking is.
func (b *Booking) Owner() string {
	if b.HoldID != "" {
		return b.HoldID
	}
	return b.ScheduleID
}

// End is when the last of its intervals ends, or the hold does, if that is before.
func (b *Booking) End() time.Time {
	var end time.Time
	for _, i := range b.Intervals {
		if i.End.After(end) {
			end = i.End
		}
	}
	if b.HoldID != "" && b.ExpiresAt.Before(end) {
		return b.ExpiresAt
	}
	return end
}

// Slots are what the booking takes, for calculations. It fails for times and amounts that nobody can reckon with.
func (b *Booking) Slots() ([]planner.Slot, error) {
	slots := make([]planner.Slot, len(b.Intervals))
	for i, taken := range b.Intervals {
		interval, err := planner.NewInterval(taken.Start, taken.End)
		if err != nil {
			return nil, fmt.Errorf("interval %d: %w", i, err)
		}
		usage, err := amounts(taken.Usage)
		if err != nil {
			return nil, fmt.Errorf("interval %d: %w", i, err)
		}
		slots[i] = planner.Slot{Interval: interval, BookingID: b.ID, Usage: usage, Whole: taken.Usage == nil}
	}
	return slots, nil
}

// Amounts are those of usage as it is written, by dimension; none of a whole instance.
func amounts(usage json.RawMessage) ([]planner.Quantity, error) {
	if usage == nil {
		return nil, nil
	}
	var faults fault.List
	list, err := planner.ReadQuantities(jsontext.NewDecoder(readerOf(usage)), "$.usage", planner.Up, &faults)
	if err == nil {
		err = faults.Err()
	}
	return list, err
}

// Check says why a booking can't be one that was stored.
func (b *Booking) Check() error {
	var errs []error
	for _, of := range []string{b.WorkflowID, b.PeerID, b.ResourceID, b.InstanceID} {
		errs = append(errs, id.Check(of))
	}
	if !OfBooking.Is(b.ID) {
		errs = append(errs, errors.New("id is none of a booking"))
	}
	switch {
	case (b.ScheduleID == "") == (b.HoldID == ""):
		errs = append(errs, errors.New("it is a schedule's or a hold's"))
	case b.HoldID != "" && (!OfHold.Is(b.HoldID) || b.ExpiresAt.IsZero()):
		errs = append(errs, errors.New("it is of no hold that ends"))
	case b.ScheduleID != "" && !OfSchedule.Is(b.ScheduleID):
		errs = append(errs, errors.New("it is of no schedule"))
	}
	return errors.Join(errs...)
}
