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

func (r *Record) check() error {
	switch {
	case r.ID == "":
		return errors.New("it has no id")
	case transitions[r.State] == nil:
		return fmt.Errorf("it can't be %q", r.State)
	case len(r.Steps) != len(r.Work.Tasks):
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
