package ui

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/access"
	"oc-scheduler/store/booking"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/workflow"
	"oc-scheduler/streams/check"
)

// known is a workflow, if it is there for who asks. The error is check.ErrUnknownWorkflow.
func (s *Site) known(c echo.Context, p *Parts, workflowID string) (*workflow.Workflow, error) {
	entry, ok := p.Workflows.Get(workflowID)
	if !ok || !s.Subject(c).Sees(entry.Value.Groups()) {
		return nil, check.ErrUnknownWorkflow
	}
	return entry.Value.Workflow, nil
}

// workflowPage is a question about one workflow, and its answer.
type workflowPage struct {
	faulty
	*workflow.Workflow
	Question  Question
	Choices   []choice
	Answer    *Answer // nil: there is none to such a question
	Timeline  Timeline
	ZoomLinks []zoomLink
	Soonest   []booking.Slot // windows that fit, when what was asked for does not
	Elsewhere []Elsewhere
	Standing  overview
	MayWrite  bool
}

// mayWrite says whether who asks may book, start and cancel.
func (s *Site) mayWrite(c echo.Context) bool {
	return access.Decide(s.Subject(c), access.Write) == access.Allowed
}

type zoomLink struct {
	Zoom    Zoom
	Href    string
	Current bool
}

// workflow answers the question in the address from what is cached, and what an open page asks goes on being asked.
func (s *Site) workflow(c echo.Context, p *Parts) (View, error) {
	workflowID, err := pathID(c)
	if err != nil {
		return View{}, err
	}
	w, err := s.known(c, p, workflowID)
	if err != nil {
		return View{}, err
	}
	f, err := formOf(c)
	if err != nil {
		return View{}, err
	}
	q, err := ReadQuestion(f.Values, holdFor)
	v, err := s.asks(c, p, w, q, err)
	v.Changed = f.Changed
	return v, err
}

// asks shows a question that was read, and its answer, or what is wrong with it.
func (s *Site) asks(c echo.Context, p *Parts, w *workflow.Workflow, q Question, err error) (View, error) {
	peers := map[string]*Layers{}
	for _, peer := range w.Peers() {
		peers[peer] = p.layers(peer)
	}
	of := func(peerID string) *Layers { return peers[peerID] }
	body := workflowPage{
		Workflow: w, Question: q, Standing: p.standing(mostStanding, s.Now(), func(workflowID string) bool { return workflowID == w.ID() }),
		MayWrite: s.mayWrite(c), Choices: choices(w, of, q.Selected),
	}
	v := View{Template: "workflow.html", Title: visible(w.ID())}
	var answer Answer
	if err == nil {
		q = q.Of(w)
		answer, err = p.ask(s.Subject(c), w.ID(), q.Request)
	}
	if faults := fault.List(nil); errors.As(err, &faults) {
		body.faulty = faultsAt(faults, "start", "duration")
		v.Status, v.Refused, v.Body = http.StatusUnprocessableEntity, faults, body
		return v, nil
	}
	if err != nil {
		return View{}, err
	}
	body.Question, body.Answer, body.ZoomLinks = q, &answer, zoomLinks(q, &answer)
	body.Soonest, body.Elsewhere = p.soonest(s.Subject(c), w.ID(), q, &answer), elsewhere(w, of, q, &answer)
	body.Timeline = WorkflowTimeline(q.Stretch(&answer), s.Now(), w, of, &answer)
	v.Follow, v.Body = &Follow{Changes: []string{Of(TheWorkflows, w.ID())}, Check: &Asked{w.ID(), q.Request}}, body
	return v, nil
}

// Length is the duration that is asked for, or what was typed for it.
func (v workflowPage) Length() string {
	if v.Answer == nil {
		return v.Question.Values.Get("duration")
	}
	return v.Question.Length()
}

// Own is how long the workflow lasts by itself; empty: it does not say.
func (v workflowPage) Own() string {
	own, _ := v.Duration()
	return lengthOf(own)
}

// HoldFor is what can be chosen of how long something is held.
func (v workflowPage) HoldFor() []option {
	list := []option{{"60", "1 minute", false}, {"300", "5 minutes", false}, {"900", "15 minutes", false}}
	chosen := slices.IndexFunc(list, func(o option) bool { return o.Value == v.Question.Values.Get(holdFor) })
	if chosen < 0 {
		chosen = 1
	}
	list[chosen].Chosen = true
	return list
}

// Checked names what was checked.
func (v workflowPage) Checked() string { return Wish{Question: v.Question}.Mark() }

// Ticked says whether a box of the form is.
func (v workflowPage) Ticked(name string) bool {
	q := v.Question
	return q.Values.Get(name) == "true" || name == "as_possible" && q.AsPossible || name == "preemption" && q.Preemption
}

// Reasons are why it does not fit. Planners that are missing are told of beside them.
func (v workflowPage) Reasons() []*Reason {
	known := *v.Answer
	known.MissingPlanners = nil
	return known.Reasons()
}

// Grid is to how many seconds the window is moved.
func (v workflowPage) Grid() int { return int(v.Question.zoom(v.Answer).grid() / time.Second) }

func zoomLinks(q Question, a *Answer) []zoomLink {
	current := q.zoom(a)
	links := make([]zoomLink, len(Zooms))
	for i, z := range Zooms {
		links[i] = zoomLink{z, q.With("zoom", string(z)), z == current}
	}
	return links
}
