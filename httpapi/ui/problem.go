package ui

import (
	"net/http"

	"oc-scheduler/store/fault"
)

// Problem is an error as people are told of it.
type Problem struct {
	Status     int
	Title      string
	Detail     string
	Faults     fault.List
	Answer     *Answer // why something can't be booked; nil: that is not what is wrong
	RetryAfter string  // seconds, for the header of that name; empty: none
	Again      string  // the address to ask again; empty: asking again would do something again
	Ask        string  // the address that asks for the next slot of the answer; empty: nothing does
}

// Advice is what whoever meets the problem can do.
func (p Problem) Advice() string {
	switch p.Status {
	case http.StatusUnauthorized:
		return "Log in, and come again."
	case http.StatusForbidden:
		return "Log in with an account or a token that may do this, or ask an operator to do it."
	case http.StatusNotFound, http.StatusGone:
		return "It may have been removed or have ended, or it belongs to others, or the address is mistyped. Search among all workflows, or go back to the page that led here."
	case http.StatusConflict:
		return "Nothing was changed. Go back, and choose another time or what stands in the way."
	case http.StatusTooManyRequests:
		return "Wait a moment; what was refused was not done."
	case http.StatusServiceUnavailable:
		if p.Again != "" {
			return "An open page asks again by itself. If it stays so for minutes, tell an operator."
		}
		return "Before you try it again, look whether it was done."
	case http.StatusInternalServerError:
		return "Tell an operator, with the time and what you did."
	}
	return ""
}
