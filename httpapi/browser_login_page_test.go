//go:build page

package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"oc-scheduler/store/access"
)

// TestPageLogsInAndOut leads back to where somebody wanted to go, is live by the session, shows no control that his role
// lacks, and ends with the log-out.
func TestPageLogsInAndOut(t *testing.T) {
	s := newSite(t, guarded())
	user := s.as(t, access.User, "mine")
	s.do(t, http.MethodPut, "/oc/wf-1", sampleWorkflow("wf-1", 8), "Authorization", user).ok(t, http.StatusCreated)
	b := browse(t, s)
	b.expect("40") // a stream that is refused, or a page that is no more there
	const address = "/ui/workflows/wf-1?start=2026-12-24T09:00:00Z&duration=1h"
	logIn := func(bearer string) {
		t.Helper()
		b.open(address)
		b.do(chromedp.WaitVisible(chromedp.CSS(`#token`)))
		b.accessible(t, "log-in")
		b.do(chromedp.SetValue(chromedp.CSS(`#token`), strings.TrimPrefix(bearer, "Bearer ")), chromedp.Click(chromedp.CSS(`main form button`)), chromedp.WaitVisible(chromedp.CSS(`form.question`)))
		b.becomes(`location.pathname === '/ui/workflows/wf-1' && new URL(location.href).searchParams.get('duration') === '1h'`)
		b.becomes(fresh + ` === 'live'`)
	}
	logIn(user)
	b.becomes(`document.querySelector('form[data-part=book]') !== null && document.querySelector('nav a[href="/ui/dead"]') === null`)
	s.plan(t, "peer-a", 10)
	b.becomes(answered + ` === 'available'`)
	b.do(chromedp.Click(chromedp.CSS(`form[action="/ui/logout"] button`)), chromedp.WaitVisible(chromedp.CSS(`#token`)))
	logIn(s.as(t, access.Viewer, "mine"))
	b.becomes(`document.querySelector('form[data-part=book]') === null`)
}
