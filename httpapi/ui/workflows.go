package ui

import (
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/booking"
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
	v := workflowsPage{Strip: p.strip(), Search: strings.TrimSpace(c.QueryParam("q"))}
	after := c.QueryParam("cursor")
	for len(v.Rows) < perPage {
		page := p.Workflows.Page(after, perPage)
		for _, item := range page {
			if len(v.Rows) == perPage {
				v.Next = "?" + url.Values{"q": {v.Search}, "cursor": {after}}.Encode()
				break
			}
			after = item.ID
			if !who.Sees(item.Value.Groups()) || !holds(v.Search, item.ID, item.Value.Name()) {
				continue
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
		if len(page) < perPage {
			break
		}
	}
	return View{Template: "workflows.html", Title: "Workflows", Body: v, Follow: &Follow{
		Changes: []string{TheWorkflows, ThePlanners, TheBookings, TheNodes, TheReplicas}, Every: nowAndThen,
	}}, nil
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

func (p *Parts) strip() strip {
	v := strip{
		Workflows: p.Workflows.Len(), Planners: p.Planners.Len(), Replicas: p.Replicas.Len(), Nodes: p.Nodes.Len(),
		Following: p.Planners.Current(), Age: p.Planners.Age().Round(time.Second),
	}
	for _, n := range p.Nodes.All() {
		if connected(n) {
			v.Connected++
		}
	}
	return v
}
