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
	address := "/ui/workflows/wf-1?start=" + on(0) + "T09:00:00Z&duration=1h"
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
	b.becomes(`document.querySelector('[data-part=actions]') !== null && document.querySelector('nav a[href="/ui/dead"]') === null`)
	s.plan(t, "peer-a", 10)
	b.becomes(answered + ` === 'available'`)
	b.do(chromedp.Click(chromedp.CSS(`form[action="/ui/logout"] button`)), chromedp.WaitVisible(chromedp.CSS(`#token`)))
	logIn(s.as(t, access.Viewer, "mine"))
	b.becomes(`document.querySelector('[data-part=actions]') === null`)
}

// TestPageLogsInAtTheIssuer of another site, lands where somebody wanted to go, once, and is reached by a link of that
// site from then on; what logs out in one tab is logged out in the other.
func TestPageLogsInAtTheIssuer(t *testing.T) {
	cfg, real := vouched(t)
	s := newSite(t, cfg)
	s.do(t, http.MethodPut, "/oc/wf-1", sampleWorkflow("wf-1", 8), "Authorization", s.as(t, access.Operator)).ok(t, http.StatusCreated)
	real.LogsIn(map[string]any{"sub": "bob", "name": hostileName, "groups": []string{"user"}})
	b := browse(t, s)
	b.expect("40")                                            // streams after the log-out, and what the issuer does not have
	at := strings.Replace(s.url, "127.0.0.1", "localhost", 1) // the issuer is 127.0.0.1
	address := "/ui/workflows/wf-1?start=" + on(0) + "T09:00:00Z&duration=1h"
	b.do(chromedp.Navigate(at+address), chromedp.WaitVisible(chromedp.CSS(`#token`)))
	b.do(chromedp.Click(chromedp.CSS(`a.button[href^="/ui/login/issuer"]`)), chromedp.WaitVisible(chromedp.CSS(`form.question`)))
	b.becomes(`location.hostname === 'localhost' && location.pathname === '/ui/workflows/wf-1' && new URL(location.href).searchParams.get('duration') === '1h'`)
	b.becomes(fresh + ` === 'live' && document.querySelector('header form bdi').textContent.startsWith('"><img')`)
	b.do(chromedp.Navigate(real.URL + "/nothing"))
	reads[bool](b, `location.href = '`+at+address+`', true`)
	b.do(chromedp.WaitVisible(chromedp.CSS(`form.question`)))
	b.becomes(`location.hostname === 'localhost' && ` + fresh + ` === 'live'`)
	second, closeTab := chromedp.NewContext(b.Context)
	defer closeTab()
	other := &tab{Context: second, t: t, s: s}
	other.do(chromedp.Navigate(at+"/ui/peers"), chromedp.Click(chromedp.CSS(`form[action="/ui/logout"] button`)), chromedp.WaitVisible(chromedp.CSS(`#token`)))
	b.becomes(`document.querySelector('#freshness').textContent.includes('may not see this')`)
	b.do(chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS(`#token`)))
}

// TestPageLogsInAtARealIssuer, a program that is not of our making: people see what is of their groups, until they log
// out, or their session is ended elsewhere.
func TestPageLogsInAtARealIssuer(t *testing.T) {
	s, address := atRealIssuer(t)
	operator := s.as(t, access.Operator)
	for workflowID, group := range map[string]string{"wf-crew": "crew", "wf-other": "other"} {
		s.do(t, http.MethodPut, "/oc/"+workflowID+"?group="+group, sampleWorkflow(workflowID, 8), "Authorization", operator).ok(t, http.StatusCreated)
	}
	b := browse(t, s)
	b.expect("40") // what the issuer does not have, and streams after the session
	logIn := func() {
		t.Helper()
		b.do(chromedp.Click(chromedp.CSS(`a.button[href^="/ui/login/issuer"]`)), chromedp.WaitVisible(chromedp.CSS(`#username`)))
		b.becomes(`location.href.startsWith('` + address + `login/username')`)
		b.do(chromedp.SetValue(chromedp.CSS(`#username`), "test-user2"), chromedp.SetValue(chromedp.CSS(`#password`), "verysecure"), chromedp.Click(chromedp.CSS(`form button`)))
		b.do(chromedp.WaitVisible(chromedp.CSS(`form[action="/ui/logout"] button`)))
		b.becomes(`location.pathname === '/ui/' && ` + fresh + ` === 'live' && document.querySelector('header form bdi').textContent.includes('Test User2')`)
		b.becomes(`document.querySelector('main').innerText.includes('wf-crew') && !document.querySelector('main').innerText.includes('wf-other')`)
	}
	b.open("/ui/")
	b.do(chromedp.WaitVisible(chromedp.CSS(`#token`)))
	logIn()
	b.open("/ui/workflows/wf-crew?duration=1h")
	b.becomes(fresh + ` === 'live' && document.querySelector('[data-part=actions]') !== null`)
	b.open("/ui/workflows/wf-other")
	b.becomes(`document.querySelector('h1').textContent.includes('404') || document.querySelector('main').innerText.includes('no such workflow')`)
	b.open("/ui/")
	b.do(chromedp.Click(chromedp.CSS(`form[action="/ui/logout"] button`)), chromedp.WaitVisible(chromedp.CSS(`#token`)))
	b.open("/ui/")
	b.do(chromedp.WaitVisible(chromedp.CSS(`#token`)))
	logIn()
	for key := range s.store.Sessions.View().All() { // as a log-out elsewhere does
		if err := s.store.Sessions.End(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	b.becomes(`document.querySelector('#freshness').textContent.includes('may not see this')`)
	b.do(chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS(`#token`)))
}
