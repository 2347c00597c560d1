package ui

import "github.com/labstack/echo/v4"

// docs shows the interface for programs. It is there before there is anything else to show, and for everybody.
func (s *Site) docs(c echo.Context) error {
	guard(c)
	return s.show(c, View{Template: "docs.html", Title: "Interface for programs", Stranger: true, Body: s.Manual})
}
