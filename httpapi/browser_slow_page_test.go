//go:build page

package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
)

// TestPageOnASlowNetwork comes to the right answer, however many there were on the way.
func TestPageOnASlowNetwork(t *testing.T) {
	s := newSite(t, defaults)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	b := browse(t, s)
	b.open("/ui/workflows/wf-1?start=" + on(0) + "T09:00:00Z&duration=1h")
	b.becomes(fresh + ` === 'live'`)
	b.do(call(network.Enable, network.EnableParams{}), call(conditions, map[string]any{
		"offline": false, "latency": 400, "downloadThroughput": 20 << 10, "uploadThroughput": 20 << 10,
	}))
	for i := range 10 {
		s.plan(t, "peer-a", 7+i%2*3)
	}
	b.becomes(answered + ` === 'available' && document.querySelector('rect.conflict') === null && document.querySelector('rect.need') !== null`)
	s.plan(t, "peer-a", 7)
	b.becomes(answered + ` === 'unavailable' && document.querySelector('rect.conflict') !== null`)
}

// conditions are those of a network, as browsers of the last years know them.
var conditions = cdp.Command[map[string]any, cdp.Empty]{Method: "Network.emulateNetworkConditions"}

// TestPageOutlastsAnOutage of NATS: what was known stays, and is told to be old.
func TestPageOutlastsAnOutage(t *testing.T) {
	s := newSite(t, defaults)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	b := browse(t, s)
	b.open("/ui/")
	b.becomes(fresh + ` === 'live'`)
	reads[bool](b, `window.stays = true`)
	s.nats.Stop()
	b.becomes(`document.querySelector('[data-part=strip]').textContent.includes('NATS is out of reach')`)
	b.becomes(`window.stays && document.querySelector('[data-part=rows]').textContent.includes('wf-1')`)
}

// TestPageIsQuick: what a planner brings shows in a browser without delay. The time is told, not held: others use the
// machine, too.
func TestPageIsQuick(t *testing.T) {
	s := newSite(t, defaults)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	b := browse(t, s)
	b.open("/ui/workflows/wf-1?start=" + on(0) + "T09:00:00Z&duration=1h")
	b.becomes(fresh + ` === 'live'`)
	reads[bool](b, `new MutationObserver(() => { window.at = Date.now(); }).observe(document.querySelector('[role=status]'), { attributes: true }) === undefined`)
	for i := range 10 {
		reads[bool](b, `window.at = 0, true`)
		sent := time.Now()
		s.plan(t, "peer-a", 7+i%2*3)
		b.becomes(`window.at > 0`)
		t.Logf("a planner shows after %d ms", int64(reads[float64](b, `window.at`))-sent.UnixMilli())
	}
}
