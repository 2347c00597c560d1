package httpapi

import (
	"net/http"
	"regexp"
	"slices"

	"golang.org/x/time/rate"
)

// EvenStep is how long who does not see all groups waits at least to be told that something is not there.
const EvenStep = evenStep

// Handler is what is served, for those who bring no connection.
func (s *Server) Handler() http.Handler { return s.http.Handler }

// DoubtAtWill takes the bound from how often credentials that are unknown here are looked up.
func (s *Server) DoubtAtWill() { s.doubts.pace.SetLimit(rate.Inf) }

// OpenViews is how many views open pages look at.
func (s *Server) OpenViews() int { return s.views.Open() }

var parameter = regexp.MustCompile(`:(\w+)`)

// Served are all routes, as the OpenAPI document writes them; each GET is for HEAD, too.
func (s *Server) Served() (routes []string) {
	for p := range s.needed {
		if p.method != http.MethodHead {
			routes = append(routes, p.method+" "+parameter.ReplaceAllString(p.path, "{$1}"))
		}
	}
	slices.Sort(routes)
	return routes
}

// DoubtNever has as many credentials that are unknown here been shown that none is looked up any more.
func (s *Server) DoubtNever() { s.doubts.pace.SetBurst(0) }

// IdleAtMost bounds the connections that are kept between requests.
func (s *Server) IdleAtMost(most, mostOfOne int) {
	s.idle.mu.Lock()
	defer s.idle.mu.Unlock()
	s.idle.most, s.idle.mostOfOne = most, mostOfOne
}

// Idle is how many there are.
func (s *Server) Idle() int {
	s.idle.mu.Lock()
	defer s.idle.mu.Unlock()
	return len(s.idle.all)
}
