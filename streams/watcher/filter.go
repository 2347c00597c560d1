package watcher

import (
	"errors"
	"fmt"
	"slices"
)

// Filter chooses events. An empty list chooses all.
type Filter struct {
	ObjectTypes []string
	Operations  []Operation
}

// Matches says whether an event is chosen.
func (f Filter) Matches(e Event) bool {
	return (len(f.ObjectTypes) == 0 || slices.Contains(f.ObjectTypes, e.ObjectType)) &&
		(len(f.Operations) == 0 || slices.Contains(f.Operations, e.Operation))
}

func (f Filter) validate() error {
	var errs []error
	for _, o := range f.Operations {
		if _, known := codes[o]; !known {
			errs = append(errs, fmt.Errorf("filter: no event has operation %q", o))
		}
	}
	return errors.Join(errs...)
}
