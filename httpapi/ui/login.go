package ui

import (
	"github.com/labstack/echo/v4"
)

// LogIn is a page that asks who it is.
type LogIn struct {
	Next     string // where it leads
	Refused  bool   // what was shown is not valid
	Issuer   bool   // people can log in at the issuer
	Sessions bool   // a browser that comes this way can be logged in
}

// LogIn shows the page.
func (s *Site) LogIn(c echo.Context, status int, v LogIn) error {
	guard(c)
	return s.show(c, View{Status: status, Template: "login.html", Stranger: true, Title: "Log in", Body: v})
}

// Again has a browser that followed a link of another site ask for an address once more, as a page of this site:
// then it shows its session.
func (s *Site) Again(c echo.Context, address string) error {
	guard(c)
	return s.show(c, View{Template: "again.html", Stranger: true, Title: "Log in", Again: address})
}
