package client_test

import (
	"fmt"
	"net/http"
	"testing"

	"oc-scheduler/client"
)

// TestATokenStays with the server that it is for: it is not shown to where that leads, be it the same in the clear.
func TestATokenStays(t *testing.T) {
	t.Parallel()
	to := map[string]string{"/nodes/a": "http://replica/nodes/b", "/nodes/b": "https://replica/nodes/c", "/nodes/c": "http://replica.elsewhere/nodes/d"}
	shown := ""
	wire := roundTrip(func(r *http.Request) *http.Response {
		shown += fmt.Sprintf("%s %q\n", r.URL, r.Header.Get("Authorization"))
		answer := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody, Request: r}
		if next := to[r.URL.Path]; next != "" {
			answer.StatusCode = http.StatusTemporaryRedirect
			answer.Header.Set("Location", next)
		}
		return answer
	})
	c, err := client.New("https://replica", client.WithToken("oct_a_b"), client.WithTransport(wire))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = c.GetNode(t.Context(), "a") // the answer is none
	if want := "https://replica/nodes/a \"Bearer oct_a_b\"\nhttp://replica/nodes/b \"\"\nhttps://replica/nodes/c \"Bearer oct_a_b\"\n" +
		"http://replica.elsewhere/nodes/d \"\"\n"; shown != want {
		t.Errorf("shown:\n%s", shown)
	}
}

type roundTrip func(*http.Request) *http.Response

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }
