package client

import (
	"context"
	"encoding/json"
	"iter"
)

// Event is what a stream of a run or a schedule tells: how it stands, or what has changed since.
type Event[T any] struct {
	ID         string       // After goes on after it
	State      *T           // first, and when changes were missed that are not kept any more
	Transition *HistoryItem // otherwise
}

// follow yields the events of one thing.
func follow[T any](ctx context.Context, c *Client, r request, options []CallOption) iter.Seq2[Event[T], error] {
	return func(yield func(Event[T], error) bool) {
		err := c.stream(ctx, r, options, func(e event) (err error) {
			told := Event[T]{ID: e.id}
			switch e.name {
			case "state":
				told.State = new(T)
				err = json.Unmarshal([]byte(e.data), told.State)
			case "transition":
				told.Transition = &HistoryItem{}
				err = json.Unmarshal([]byte(e.data), told.Transition)
			default: // of a newer replica
				return nil
			}
			if err == nil && !yield(told, nil) {
				err = errEnough
			}
			return err
		})
		if err != nil {
			yield(Event[T]{}, err)
		}
	}
}
