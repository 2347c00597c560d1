package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"oc-scheduler/events"
	"oc-scheduler/store/histories"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
)

// word is what is said of a booking, and noted as said.
type word struct {
	Revision uint64           `json:"revision"` // of the change in the plan
	Gone     bool             `json:"gone"`
	Booking  schedule.Booking `json:"booking"`
	Groups   []string         `json:"groups,omitempty"` // of the workflow, which may be gone before the booking

	noted  uint64 // where it stands in the history
	after  uint64 // it is said once more, since that revision may have been told of after it
	silent bool   // it has passed to another owner: of that one it is said
}

// booking says of a booking that it stands, or stands no more.
func (s *Service) booking(ctx context.Context, c plan.Change) error {
	said, err := s.said(ctx, c.Key)
	if err != nil || said.Revision >= c.Revision {
		return err
	}
	next, err := wordOf(c, said)
	if next.Groups = said.Groups; !next.Gone || said.Revision == 0 {
		next.Groups = s.cfg.Groups(next.Booking.WorkflowID)
	}
	for err == nil {
		if err = s.utter(ctx, c.Key, next); err != nil {
			return err
		}
		if err = s.note(ctx, c.Key, said.noted, next); !errors.Is(err, kv.ErrConflict) {
			return err
		}
		// Another replica has said something, before or after.
		if said, err = s.said(ctx, c.Key); err == nil && said.Revision > next.Revision {
			said.after = next.Revision
			return s.utter(ctx, c.Key, said)
		}
		if said.Revision == next.Revision {
			return err
		}
	}
	return err
}

// said is what was said of a booking last; revision 0: nothing.
func (s *Service) said(ctx context.Context, key kv.Key) (said word, err error) {
	m, err := s.cfg.Histories.Newest(ctx, histories.BookingSubject(key))
	if err != nil || m.Revision == 0 {
		return word{}, err
	}
	if err := json.Unmarshal(m.Data, &said); err != nil {
		return word{}, fmt.Errorf("%w: what was said of booking %s: %w", kv.ErrUndecodable, key, err)
	}
	said.noted = m.Revision
	return said, nil
}

func (s *Service) note(ctx context.Context, key kv.Key, after uint64, w word) error {
	data, err := json.Marshal(w)
	if err == nil {
		_, err = s.cfg.Histories.Replace(ctx, histories.BookingSubject(key), after, data)
	}
	return err
}

// wordOf is what is to be said of a change.
func wordOf(c plan.Change, said word) (w word, err error) {
	w = word{Revision: c.Revision, Gone: !c.Live()}
	if !w.Gone {
		w.Booking, err = plan.DecodeBooking(c.Key, c.Message)
		return w, err
	}
	defer func() { w.Booking.Intervals = nil }()
	w.silent = c.Header.Get(plan.HeaderPassed) != "" || said.Gone
	was := c.Header.Get(plan.HeaderBooking)
	switch {
	case said.Revision > 0:
		w.Booking = said.Booking
	case was != "":
		if err := json.Unmarshal([]byte(was), &w.Booking); err != nil {
			return w, fmt.Errorf("%w: what booking %s was: %w", kv.ErrUndecodable, c.Key, err)
		}
	default: // its time was up before anybody looked, or it is too long ago
		ids, err := c.Key.IDs(plan.Bookings.Tokens)
		if err != nil {
			return w, fmt.Errorf("%w: %w", kv.ErrUndecodable, err)
		}
		w.Booking.Place = schedule.Place{PeerID: ids[0], ResourceID: ids[1], InstanceID: ids[2]}
		if w.Booking.ScheduleID = ids[3]; schedule.OfHold.Is(ids[3]) {
			w.Booking.ScheduleID, w.Booking.HoldID = "", ids[3]
		}
	}
	return w, nil
}

// utter says it on the bus.
func (s *Service) utter(ctx context.Context, key kv.Key, w word) error {
	if w.silent {
		return nil
	}
	id := fmt.Sprintf("booking %s %d %d", key, w.Revision, w.after) // the bus takes each once
	if !w.Gone {
		payload, err := json.Marshal(w.Booking)
		if err != nil {
			return err
		}
		return s.cfg.Bus.Created(ctx, events.DatatypeBooking, w.Groups, payload, id)
	}
	payload, err := json.Marshal(idsOf(&w.Booking))
	if err != nil {
		return err
	}
	return s.cfg.Bus.Removed(ctx, events.DatatypeBooking, w.Groups, payload, id)
}

// ids are what tells of a booking that stands no more.
type ids struct {
	ID         string `json:"id,omitempty"`
	ScheduleID string `json:"schedule_id,omitempty"`
	HoldID     string `json:"hold_id,omitempty"`
	WorkflowID string `json:"workflow_id,omitempty"`
	schedule.Place
}

func idsOf(b *schedule.Booking) ids {
	return ids{b.ID, b.ScheduleID, b.HoldID, b.WorkflowID, b.Place}
}
