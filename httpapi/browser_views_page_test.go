//go:build page

package httpapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	bus "oc-scheduler/events"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
)

// hostileName is one that would break out of whatever it stands in.
const hostileName = `"><img src=x onerror=alert(1)>{{1}}]]>` + "\u202e"

// everything is a site that has something for each view to show, and the addresses of all views.
func everything(t *testing.T) (s *site, views map[string]string) {
	t.Helper()
	s = newSite(t, defaults)
	if _, err := bus.OpenBus(t.Context(), s.js, 1); err != nil {
		t.Fatal(err)
	}
	path := s.begins(t, "wf-run", "wait", "running")
	s.bury(t, bus.CreateResource, "not JSON", []byte("{<b>"))
	s.enrol(t, hostileName, store.Pending)
	doc := sampleWorkflow(hostileName, 8)
	hostile := "/oc/" + url.PathEscape(hostileName)
	s.do(t, http.MethodPut, hostile, strings.ReplaceAll(doc, "align reads", `</title><script>alert(2)</script>`)).ok(t, http.StatusCreated)
	s.do(t, http.MethodPut, "/oc/wf-2", strings.ReplaceAll(sampleWorkflow("wf-2", 8), "peer-a", "peer-b")).ok(t, http.StatusCreated)
	s.plan(t, "peer-b", 20)
	natstest.Eventually(t, "the planner is in view", func() bool { return s.parts.Planners.Len() == 2 })
	window := "start=" + on(0) + "T09:00:00Z&duration=1h"
	hold := s.submit(t, "/ui/workflows/wf-2/holds", window+"&ttl_s=900").ok(t, http.StatusSeeOther).header.Get("Location")
	schedule := s.sent(t, "/ui/workflows/wf-2/schedules", "cron=0+8+*+*+*&duration=1h")
	return s, map[string]string{
		"workflows": "/ui/", "workflow": "/ui/workflows/wf-2?" + window + "&zoom=hour", "workflow-short": "/ui/workflows/wf-2?" + window + "&zoom=year&preemption=true",
		"workflow-hostile": "/ui" + strings.Replace(hostile, "/oc/", "/workflows/", 1),
		"peers":            "/ui/peers", "peer": "/ui/peers/peer-b?from=" + on(-4), "nodes": "/ui/nodes", "node": "/ui/nodes/" + url.PathEscape(hostileName),
		"schedule": schedule, "hold": hold, "run": "/ui" + path, "recurring": "/ui/workflows/wf-2/recurring?cron=0+8+*+*+*&time_zone=Europe/Paris&duration=1h",
		"dead": "/ui/dead", "bookings": "/ui/bookings",
	}
}

// TestPageOfEachAddress is live, accessible in light and dark, and fits from 360 px to 4K.
func TestPageOfEachAddress(t *testing.T) {
	s, views := everything(t)
	views["sure"], views["start"] = views["run"]+"/cancel", "/"
	views["sure-start"], views["sure-reject"] = "/ui/workflows/wf-2/runs?duration=1h", views["node"]+"/reject"
	views["faults"], views["docs"] = "/ui/workflows/wf-2/recurring?cron=never", "/docs"
	b := browse(t, s)
	b.expect("422")
	for view, path := range views {
		for _, scheme := range []string{"light", "dark"} {
			b.scheme(scheme)
			b.open(path)
			if !strings.HasPrefix(view, "sure") && view != "faults" && view != "docs" {
				b.becomes(fresh + ` === 'live'`)
			}
			b.accessible(t, view+", "+scheme)
		}
		for _, width := range []int64{360, 3840} {
			b.do(chromedp.EmulateViewport(width, 1000))
			b.becomes(`document.documentElement.scrollWidth <= document.documentElement.clientWidth`)
		}
		b.do(chromedp.ResetViewport())
	}
}

// scheme has the browser prefer light or dark.
func (b *tab) scheme(name string) {
	b.t.Helper()
	b.do(call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}}))
}
