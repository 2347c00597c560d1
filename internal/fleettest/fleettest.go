// Package fleettest is the world around a fleet of oc-scheduler replicas, for tests: clients that
// come back when they are closed, peers that publish planners, and an auditor that compares what
// the replicas show with the buckets, and counts what they said on the bus. It knows replicas by
// their URLs alone, so they may run anywhere.
package fleettest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
)

// Patience bounds every wait: far above what a loaded machine takes.
const Patience = 60 * time.Second

// Until looks again and again until there is nothing more to say, and fails the test with the last
// word when that does not come about. It returns how long it took.
func Until(tb testing.TB, what string, look func() (lacks string)) time.Duration {
	tb.Helper()
	for begin := time.Now(); ; {
		looked := time.Now()
		lacks := look()
		if lacks == "" {
			return time.Since(begin)
		}
		if time.Since(begin) > Patience {
			tb.Fatalf("in vain: %s: %s", what, lacks)
		}
		time.Sleep(natstest.Rest(time.Since(looked)))
	}
}

// client keeps no connections: tests count goroutines.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}

// Answer is what a replica answered; Status 0 when it did not, with the reason as Body.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Get asks a replica.
func Get(ctx context.Context, url string) Answer { return Send(ctx, http.MethodGet, url, nil) }

// Send asks a replica with a body.
func Send(ctx context.Context, method, url string, body io.Reader) Answer {
	return SendOnce(ctx, method, url, "", body)
}

// SendOnce is Send of what is done once, however often it is sent with a key.
func SendOnce(ctx context.Context, method, url, key string, body io.Reader) Answer {
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return Answer{Body: []byte(err.Error())}
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := client.Do(req)
	if err != nil {
		return Answer{Body: []byte(err.Error())}
	}
	text, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return Answer{Body: []byte(err.Error())}
	}
	return Answer{resp.StatusCode, resp.Header, text}
}
