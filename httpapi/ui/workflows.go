package ui

import (
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/booking"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/id"
	"oc-scheduler/store/kv"
	"oc-scheduler/streams/check"
)

// perPage is how many rows a list shows.
const perPage = 50

// workflowsPage lists workflows with the answer for the next hour.
type workflowsPage struct {
	Strip  strip
	Search string
	Rows   []workflowRow
	Next   string // the address of what follows; empty: nothing does
}

type workflowRow struct {
	ID, Name, Href string
	Answer         Answer
}

// strip is how the fleet does.
type strip struct {
	Workflows, Planners, Replicas, Nodes, Connected int
	Following                                       bool          // NATS is within reach
	Age                                             time.Duration // of the view of planners; 0: it is current
}

// workflows lists those whose id or name holds the text that is looked for.
func (s *Site) workflows(c echo.Context, p *Parts) (View, error) {
	select {
	case <-p.Workflows.Loaded():
	default:
		return View{}, check.ErrNotLoaded
	}
	who := s.Subject(c)
	v := workflowsPage{Strip: p.strip(who), Search: strings.TrimSpace(c.QueryParam("q"))}
	after := c.QueryParam("cursor")
	if after != "" && id.Check(after) != nil {
		return View{}, fault.List{{Path: "cursor", Message: "must be that of a next page"}}
	}
	found := p.found(who, v.Search, after, perPage+1)
	for i, item := range found {
		if i == perPage {
			v.Next = "?" + url.Values{"q": {v.Search}, "cursor": {found[i-1].ID}}.Encode()
			break
		}
		a, err := p.ask(who, item.ID, booking.Request{Duration: usualLength})
		if errors.Is(err, check.ErrUnknownWorkflow) {
			continue // removed meanwhile
		}
		if err != nil {
			return View{}, err
		}
		v.Rows = append(v.Rows, workflowRow{item.ID, item.Value.Name(), address("workflows", item.ID), a})
	}
	return View{Template: "workflows.html", Title: "Workflows", Body: v, Follow: &Follow{
		Changes: []string{TheWorkflows, ThePlanners, TheBookings, TheNodes, TheReplicas}, Every: nowAndThen,
	}}, nil
}

// found are up to so many of the workflows after an id that somebody sees and that hold the text that is looked for.
func (p *Parts) found(who *access.Subject, search, after string, most int) (items []kv.Item[store.WorkflowRecord]) {
	for {
		page := p.Workflows.Page(after, perPage)
		for _, item := range page {
			after = item.ID
			if !who.Sees(item.Value.Groups()) || !holds(search, item.ID, item.Value.Name()) {
				continue
			}
			if items = append(items, item); len(items) == most {
				return items
			}
		}
		if len(page) < perPage {
			return items
		}
	}
}

// holds says whether one of some texts holds what is looked for, in any case.
func holds(search string, texts ...string) bool {
	for _, t := range texts {
		if strings.Contains(strings.ToLower(t), strings.ToLower(search)) {
			return true
		}
	}
	return false
}

// strip is how the fleet does, of which somebody is told.
func (p *Parts) strip(who *access.Subject) strip {
	v := strip{
		Planners: p.Planners.Len(), Replicas: p.Replicas.Len(), Nodes: p.Nodes.Len(),
		Following: p.Planners.Current(), Age: p.Planners.Age().Round(time.Second),
	}
	for _, w := range p.Workflows.All() {
		if who.Sees(w.Groups()) {
			v.Workflows++
		}
	}
	for _, n := range p.Nodes.All() {
		if connected(n) {
			v.Connected++
		}
	}
	return v
}
