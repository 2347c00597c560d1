package main

import (
	"context"
	"encoding/json"
	"iter"

	"oc-scheduler/client"
)

// followed is what can be followed: a run, or a schedule.
type followed struct {
	kind   string
	read   func(doc []byte) (*course, error)
	print  func(*printer, []byte) error // how it is shown at first
	get    func(ctx context.Context, id string, into client.CallOption) error
	events func(ctx context.Context, id string, options ...client.CallOption) iter.Seq2[happening, error]
}

// happening is an event of it: how it stands, or a change.
type happening struct {
	state      *course
	transition *client.HistoryItem
}

func ofRun(r *replica) followed {
	return followed{
		"run", reading(courseOfRun), func(p *printer, doc []byte) error { return printDoc(p, doc, printRun) },
		getting(r.GetRun), happenings(r.FollowRun, courseOfRun),
	}
}

func ofSchedule(r *replica) followed {
	return followed{"schedule", reading(courseOfSchedule), printMade, getting(r.GetSchedule), happenings(r.FollowSchedule, courseOfSchedule)}
}

// reading is how things stand by a document.
func reading[T any](of func(*T) *course) func([]byte) (*course, error) {
	return func(doc []byte) (*course, error) {
		it := new(T)
		if err := json.Unmarshal(doc, it); err != nil {
			return nil, err
		}
		return of(it), nil
	}
}

func getting[T any](get func(context.Context, string, ...client.CallOption) (*T, error)) func(context.Context, string, client.CallOption) error {
	return func(ctx context.Context, id string, into client.CallOption) error {
		_, err := get(ctx, id, into)
		return err
	}
}

func happenings[T any](
	follow func(context.Context, string, ...client.CallOption) iter.Seq2[client.Event[T], error], of func(*T) *course,
) func(context.Context, string, ...client.CallOption) iter.Seq2[happening, error] {
	return func(ctx context.Context, id string, options ...client.CallOption) iter.Seq2[happening, error] {
		return func(yield func(happening, error) bool) {
			for e, err := range follow(ctx, id, options...) {
				h := happening{transition: e.Transition}
				if e.State != nil {
					h.state = of(e.State)
				}
				if !yield(h, err) {
					return
				}
			}
		}
	}
}
