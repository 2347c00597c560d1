package ui

import (
	"bytes"
	"html/template"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/reference"
)

// Manual renders the interface for programs, which is most of its page, and the same each time.
func Manual(m *reference.Manual) (template.HTML, error) {
	var made bytes.Buffer
	err := templates["docs.html"].ExecuteTemplate(&made, "manual", m)
	return template.HTML(made.String()), err
}

// docs shows the interface for programs. It is there before there is anything else to show, and for everybody.
func (s *Site) docs(c echo.Context) error {
	guard(c)
	return s.show(c, View{Template: "docs.html", Title: "Interface for programs", Stranger: true, Body: s.Manual})
}
