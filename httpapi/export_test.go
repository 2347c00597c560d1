package httpapi

import "net/http"

// Handler is what is served, for those who bring no connection.
func (s *Server) Handler() http.Handler { return s.http.Handler }

// OpenViews is how many views open pages look at.
func (s *Server) OpenViews() int { return s.views.Open() }
