package ui

import (
	"errors"
	"net/url"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/schedule"
)

// sure asks before something that can't be undone. The question has an address of its own, and needs no script.
type sure struct {
	Title  string
	Of     string // the id of what it is about
	Words  string // what will happen
	Action string // where it is decided
	Button string // which begins with the verb
	Back   string // where it is left alone

	Fields url.Values // that are sent on
	Mark   string     // of what was checked; empty: nothing was
	Answer *Answer    // whether it can be done, by what is known; nil: it can
}

// askStart asks whether a run shall really begin, and says what it would take.
func (s *Site) askStart(c echo.Context, p *Parts) (View, error) {
	f, err := formOf(c)
	if err != nil {
		return View{}, err
	}
	workflowID, w, err := s.wished(c, p, f)
	if err == nil {
		_, err = w.Now().Request(schedule.RunBody)
	}
	var answer Answer
	if err == nil {
		answer, err = p.ask(s.Subject(c), workflowID, w.Now().Question.Request)
	}
	if again := (*formAgain)(nil); err != nil {
		if err = s.faulted(c, p, workflowID, w, err); errors.As(err, &again) {
			return again.View, nil
		}
		return View{}, err
	}
	page := address("workflows", workflowID)
	return View{Template: "sure.html", Title: "Start " + visible(workflowID), Changed: f.Changed, Follow: &Follow{Check: &Asked{workflowID, w.Now().Question.Request}}, Body: sure{
		Title: "Start a run now?", Of: workflowID, Action: page + "/runs", Button: "Start the run",
		Words: "It takes what the workflow needs from now on for " + answer.Length() + ", and runs it at once, whatever start was asked about. The run can be cancelled.",
		Back:  page + "?" + w.Values.Encode(), Fields: w.Hidden(), Mark: w.Mark(), Answer: &answer,
	}}, nil
}
