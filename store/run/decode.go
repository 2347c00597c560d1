package run

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrBroken says that a stored record is none that Advance could have made.
var ErrBroken = errors.New("not the record of a run")

// Decode reads a record as it is stored. It fails with ErrBroken: what it returns, Advance can work on.
func Decode(data []byte) (Record, error) {
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return Record{}, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	if err := r.check(); err != nil {
		return Record{}, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return r, nil
}

// DecodeListed reads of a record what lists tell: all but its steps. Those, and what is needed to go on, may be most of it;
// they are passed over, and whether Advance can work on them, only Decode finds. It fails with ErrBroken.
func DecodeListed(data []byte) (*Run, error) {
	var r struct {
		Run
		Steps passed `json:"steps"`
	}
	err := json.Unmarshal(data, &r)
	if err == nil {
		err = r.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return &r.Run, nil
}

// passed is a value that is passed over.
type passed struct{}

// UnmarshalJSON implements json.Unmarshaler.
func (*passed) UnmarshalJSON([]byte) error { return nil }

func (r *Run) check() error {
	switch {
	case r.ID == "":
		return errors.New("it has no id")
	case transitions[r.State] == nil:
		return fmt.Errorf("it can't be %q", r.State)
	}
	return nil
}

func (r *Record) check() error {
	if err := r.Run.check(); err != nil {
		return err
	}
	if len(r.Steps) != len(r.Work.Tasks) {
		return fmt.Errorf("%d steps have %d tasks", len(r.Steps), len(r.Work.Tasks))
	}
	rooms := make(map[string]bool, len(r.Work.Rooms))
	for _, room := range r.Work.Rooms {
		rooms[room.ItemID] = true
	}
	for i, s := range r.Steps {
		if moves[OfStep][s.State] == nil || s.State == "" {
			return fmt.Errorf("step %q can't be %q", s.ItemID, s.State)
		}
		for _, try := range r.Work.Tasks[i].Tries {
			if try.At < 0 || try.At >= len(s.Executions) || !rooms[try.On] {
				return fmt.Errorf("step %q is at execution %d on %q", s.ItemID, try.At, try.On)
			}
		}
	}
	return nil
}
