//go:build compose

package deploy_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

var browser = &http.Client{Timeout: 15 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

func (s *stack) do(method, url string, doc []byte) (status int, header http.Header, body []byte) {
	req, err := http.NewRequestWithContext(s.t.Context(), method, url, bytes.NewReader(doc))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	return s.send(req)
}

// send shows the token, if there is one, and returns no status when there is no answer.
func (s *stack) send(req *http.Request) (status int, header http.Header, body []byte) {
	if s.token != "" {
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	resp, err := browser.Do(req)
	if err != nil {
		return 0, nil, nil
	}
	defer func() { _ = resp.Body.Close() }()
	if body, err = io.ReadAll(resp.Body); err != nil {
		return 0, nil, nil
	}
	return resp.StatusCode, resp.Header, body
}

func (s *stack) get(url string) (int, http.Header, []byte) { return s.do(http.MethodGet, url, nil) }

// planners is what one replica knows: peer → when its planner was generated.
func (s *stack) planners(base string) map[string]time.Time {
	s.t.Helper()
	status, _, body := s.get(base + "/planners?limit=1000")
	var page struct {
		Items []struct {
			PeerID      string    `json:"peer_id"`
			GeneratedAt time.Time `json:"generated_at"`
		}
	}
	if status != http.StatusOK || json.Unmarshal(body, &page) != nil {
		return nil
	}
	known := map[string]time.Time{}
	for _, p := range page.Items {
		known[p.PeerID] = p.GeneratedAt
	}
	return known
}

// open is how many WebSockets a replica has, by its own metrics: answers that wait for planners don't count.
func (s *stack) open(replica string) int {
	s.t.Helper()
	_, _, body := s.get(s.replica[replica] + "/metrics")
	lines := bufio.NewScanner(bytes.NewReader(body))
	total := 0
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if strings.HasPrefix(name, "oc_scheduler_streams_open{") && !strings.Contains(name, `"wait"`) {
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				s.t.Fatal(err)
			}
			total += int(n)
		}
	}
	return total
}
