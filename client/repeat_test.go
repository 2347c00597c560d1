package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"oc-scheduler/client"
)

// TestWhatIsRepeated: what is done once however often it is asked for, always; what is not, when it was refused for
// certain; and what has an answer, never.
func TestWhatIsRepeated(t *testing.T) {
	t.Parallel()
	book := func(c *client.Client) error {
		_, err := c.BookSchedule(t.Context(), "w", client.ScheduleRequest{})
		return err
	}
	order := func(c *client.Client) error {
		_, err := c.RunExecution(t.Context(), "n", client.ExecutionOrder{})
		return err
	}
	token := func(c *client.Client) error {
		_, err := c.CreateToken(t.Context(), client.TokenDraft{})
		return err
	}
	write := func(c *client.Client) error {
		_, err := c.PutWorkflow(t.Context(), "w", client.Workflow{}, nil, client.IfNoneMatch("*"))
		return err
	}
	remove := func(c *client.Client) error { return c.ReleaseHold(t.Context(), "h") }
	const cut = 0
	for name, tc := range map[string]struct {
		do     func(*client.Client) error
		first  int
		repeat bool
	}{
		"a booking, 503":                 {book, 503, true},
		"a booking, cut":                 {book, cut, true},
		"a booking, another in progress": {book, 409, true},
		"a booking, refused":             {book, 422, false},
		"an order, 503":                  {order, 503, false},
		"an order, cut":                  {order, cut, false},
		"an order, 429":                  {order, 429, true},
		"a token, 502":                   {token, 502, false},
		"a condition, 503":               {write, 503, false},
		"a condition, 429":               {write, 429, true},
		"a deletion, cut":                {remove, cut, true},
		"a deletion of what is not":      {remove, 404, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var keys []string
			c, done := of(t, func(w http.ResponseWriter, r *http.Request) {
				keys = append(keys, r.Header.Get("Idempotency-Key"))
				switch {
				case len(keys) > 1 && r.Method == http.MethodDelete: // it was done before
					w.WriteHeader(http.StatusNotFound)
				case len(keys) > 1:
					_, _ = fmt.Fprint(w, "{}")
				case tc.first == cut:
					panic(http.ErrAbortHandler)
				default:
					w.Header().Set("Retry-After", "0")
					if tc.first == http.StatusConflict {
						w.Header().Set("Retry-After", "1")
					}
					w.WriteHeader(tc.first)
				}
			})
			err := tc.do(c)
			done()
			if (err == nil) != tc.repeat || (len(keys) == 2) != tc.repeat || len(slices.Compact(keys)) != 1 {
				t.Errorf("%v, after keys %q", err, keys)
			}
		})
	}
}

func TestPatience(t *testing.T) {
	t.Parallel()
	asked := 0
	c, done := of(t, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	begin := time.Now()
	_, err := c.ListNodes(t.Context(), client.Page{}) // which would be above the patience
	done()
	p, ok := errors.AsType[*client.Problem](err)
	if !ok || p.RetryAfter != 30*time.Second || asked != 1 || time.Since(begin) > 20*time.Second {
		t.Errorf("%v after %d", err, asked)
	}
	c, _ = of(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	ctx, cancel := context.WithCancel(t.Context())
	for _, err := range c.FollowRun(ctx, "r", client.OnLost(func(error, time.Duration) { cancel() })) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
}

// TestNobodyThere names the host, and nothing else of the address.
func TestNobodyThere(t *testing.T) {
	t.Parallel()
	c, err := client.New("http://me:secret@127.0.0.1:1", client.WithPatience(0))
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.GetNode(t.Context(), "n")
	var unreachable *client.UnreachableError
	if !errors.As(err, &unreachable) || unreachable.Asked || client.InDoubt(err) || !client.Temporary(err) ||
		err.Error() != "no replica answers at 127.0.0.1:1: dial tcp 127.0.0.1:1: connect: connection refused" {
		t.Errorf("%v", err)
	}
	for answer, err := range c.WatchWorkflow(t.Context(), "w", client.CheckRequest{}, client.Patience(0)) {
		if answer != nil || !errors.As(err, &unreachable) || unreachable.Err.Error() != "dial tcp 127.0.0.1:1: connect: connection refused" {
			t.Errorf("%v", err)
		}
	}
}
