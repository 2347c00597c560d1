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

// followers is how many others the server knows that take part, and hears of.
func (s *Server) followers() (n int) {
	var jsz struct {
		Meta struct {
			Replicas []struct{ Current, Offline bool }
		} `json:"meta_cluster"`
	}
	if !s.monitor("/jsz", &jsz) {
		return 0
	}
	for _, r := range jsz.Meta.Replicas {
		if r.Current && !r.Offline {
			n++
		}
	}
	return n
}

// group is servers that keep copies of something.
type group struct {
	Leader   string
	Replicas []struct{ Name string } // the others
}

// kept is a stream as a server sees it.
type kept struct {
	Name      string
	Cluster   group
	State     struct{ Messages int }
	Consumers []struct {
		Name    string
		Cluster group
	} `json:"consumer_detail"`
}

// streams are those of which the server has a copy; false when it does not tell.
func (s *Server) streams() (all []kept, ok bool) {
	var jsz struct {
		Accounts []struct {
			Streams []kept `json:"stream_detail"`
		} `json:"account_details"`
	}
	ok = s.monitor("/jsz?accounts=true&streams=true&consumers=true", &jsz)
	for _, account := range jsz.Accounts {
		all = append(all, account.Streams...)
	}
	return all, ok
}

// streamLeaderSeen is the name of the server that this one takes for the leader of a stream.
func (s *Server) streamLeaderSeen(stream string) string {
	all, _ := s.streams()
	for _, st := range all {
		if st.Name == stream {
			return st.Cluster.Leader
		}
	}
	return ""
}

// Copy is how many messages of a stream the server has, and the names of the consumers that stand on it;
// false while it has no copy.
func (s *Server) Copy(stream string) (messages int, consumers []string, ok bool) {
	all, _ := s.streams()
	for _, st := range all {
		if st.Name != stream {
			continue
		}
		for _, c := range st.Consumers {
			consumers = append(consumers, c.Name)
		}
		return st.State.Messages, consumers, true
	}
	return 0, nil, false
}

// led says whether the server knows a leader of each stream and of each consumer with copies.
func (s *Server) led() bool {
	all, ok := s.streams()
	for _, st := range all {
		ok = ok && st.Cluster.Leader != ""
		for _, c := range st.Consumers {
			ok = ok && (c.Cluster.Leader != "" || len(c.Cluster.Replicas) == 0)
		}
	}
	return ok
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
