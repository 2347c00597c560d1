package natstest

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// healthy asks the server whether it is current with all that it stores.
func (s *Server) healthy() bool {
	var health struct{ Status string }
	return s.monitor("/healthz", &health) && health.Status == "ok"
}

// metaLeaderSeen is the name of the server that this one takes for the meta leader.
func (s *Server) metaLeaderSeen() string {
	var jsz struct {
		Meta struct{ Leader string } `json:"meta_cluster"`
	}
	if !s.monitor("/jsz", &jsz) {
		return ""
	}
	return jsz.Meta.Leader
}

// streamLeaderSeen is the name of the server that this one takes for the leader of a stream.
func (s *Server) streamLeaderSeen(stream string) string {
	var jsz struct {
		Accounts []struct {
			Streams []struct {
				Name    string
				Cluster struct{ Leader string }
			} `json:"stream_detail"`
		} `json:"account_details"`
	}
	if !s.monitor("/jsz?accounts=true&streams=true", &jsz) {
		return ""
	}
	for _, account := range jsz.Accounts {
		for _, st := range account.Streams {
			if st.Name == stream {
				return st.Cluster.Leader
			}
		}
	}
	return ""
}

// clients are the names of the connections that the server has.
func (s *Server) clients() []string {
	var connz struct {
		Connections []struct{ Name string }
	}
	if !s.monitor("/connz?limit=10000", &connz) {
		return nil
	}
	names := make([]string, len(connz.Connections))
	for i, c := range connz.Connections {
		names[i] = c.Name
	}
	return names
}

// monitor reads a page of the server's monitoring.
func (s *Server) monitor(path string, into any) bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+local(s.opts.HTTPPort)+path, nil)
	if err != nil {
		return false
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer func() { _ = resp.Body.Close() }()
	return json.NewDecoder(resp.Body).Decode(into) == nil
}
