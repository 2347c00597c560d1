package ui

import (
	"regexp"
	"slices"
	"time"
)

// Reason is why something does not fit, told once however often it is so.
type Reason struct {
	Conflict *Conflict // what is short; nil: Words say it
	Words    string
	Places   []Place   // each once
	Count    int       // how often it is so
	From, To time.Time // the first begin and the last end; zero: it is always so
}

// Place is where an item is, or was to be.
type Place struct{ ItemID, PeerID, ResourceID, InstanceID string }

// shownPlaces is how many places of a reason are told at once; the others are folded.
const shownPlaces = 3

// First are the places that are told at once.
func (r *Reason) First() []Place { return r.Places[:min(len(r.Places), shownPlaces)] }

// Rest are the others.
func (r *Reason) Rest() []Place { return r.Places[len(r.First()):] }

// Reasons are why what was asked for does not fit.
func (a *Answer) Reasons() []*Reason { return reasonsOf(a) }

// reasonsOf are the reasons of some answers, in the order in which they are met.
func reasonsOf(answers ...*Answer) (all []*Reason) {
	known := map[string]*Reason{}
	of := func(words string) *Reason {
		r := known[words]
		if r == nil {
			r = &Reason{Words: words}
			known[words] = r
			all = append(all, r)
		}
		r.Count++
		return r
	}
	for _, a := range answers {
		for i := range a.Resources {
			p := &a.Resources[i]
			for k := range p.Conflicts {
				c := &p.Conflicts[k]
				r := of(c.Words())
				r.Conflict = c
				r.at(Place{p.ItemID, p.PeerID, p.ResourceID, p.InstanceID})
				r.during(c.Start, c.End)
			}
		}
		for _, warning := range a.Warnings {
			words, item := itemOf(warning)
			if r := of(words); item != "" {
				r.at(Place{ItemID: item})
			}
		}
		for _, peer := range a.MissingPlanners {
			of("no planner of "+visible(peer)+" is known").during(a.Start, a.End)
		}
	}
	return all
}

func (r *Reason) at(p Place) {
	if !slices.Contains(r.Places, p) {
		r.Places = append(r.Places, p)
	}
}

func (r *Reason) during(start, end time.Time) {
	if r.From.IsZero() || start.Before(r.From) {
		r.From = start
	}
	if end.After(r.To) {
		r.To = end
	}
}

// ofItem is how a warning begins that is about one item.
var ofItem = regexp.MustCompile(`^item "((?:[^"\\]|\\.)*)": `)

// itemOf takes a warning apart into what it says and the item that it says it of; empty: of none.
func itemOf(warning string) (words, item string) {
	if of := ofItem.FindStringSubmatch(warning); of != nil {
		return warning[len(of[0]):], of[1]
	}
	return warning, ""
}
