package httpapi

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/auth"
	"oc-scheduler/httpapi/issuer"
	"oc-scheduler/store/access"
)

// getDeparture sends a browser to the issuer to log in.
func (s *Server) getDeparture(c echo.Context) error {
	r, next := c.Request(), localPage(c.QueryParam("next"))
	way := auth.WayOf(r)
	if !s.logsIn() {
		return errNoRoute
	}
	if way == auth.InTheOpen {
		return s.site.LogIn(c, http.StatusForbidden, s.loginForm(r, next))
	}
	address, journey, err := s.cfg.Issuer.Depart(r.Context(), backFor(r), next)
	if err != nil {
		return err
	}
	kept, err := json.Marshal(journey)
	if err != nil {
		return err
	}
	c.SetCookie(way.JourneyCookie(base64.RawURLEncoding.EncodeToString(kept)))
	c.Response().Header()[echo.HeaderCacheControl] = noStore
	return c.Redirect(http.StatusSeeOther, address)
}

// backFor is where the issuer leads back to.
func backFor(r *http.Request) string { return auth.WayOf(r).Scheme() + "://" + r.Host + arrivePath }

// getArrival begins the session of who comes back from the issuer.
func (s *Server) getArrival(c echo.Context) error {
	r := c.Request()
	if !s.logsIn() {
		return errNoRoute
	}
	journey := journeyOf(r)
	next := localPage(journey.Next)
	c.SetCookie(auth.WayOf(r).NoJourney()) // whatever comes of it, it is over
	p, err := s.cfg.Issuer.Arrive(r.Context(), backFor(r), journey, r.URL.Query())
	if errors.Is(err, issuer.ErrRefused) {
		show := s.loginForm(r, next)
		show.Refused = true
		c.Response().Header().Set(echo.HeaderWWWAuthenticate, "Bearer")
		return s.site.LogIn(c, http.StatusUnauthorized, show)
	}
	if err != nil {
		return err
	}
	if p.Subject.Role == access.Nobody {
		return newProblem(http.StatusForbidden, "the issuer knows you as %s, but gives you no role here", p.Subject.Name)
	}
	return s.logIn(c, auth.OfPerson(p), next)
}

// journeyOf is what a browser has kept of its log-in; what cannot be read is none.
func journeyOf(r *http.Request) (j issuer.Journey) {
	text, _ := auth.ShownJourney(r)
	kept, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(kept, &j) != nil {
		return issuer.Journey{}
	}
	return j
}
