//go:build page

package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPageOfARun fills up as the run goes, follows what it says, and cancels it after a question.
func TestPageOfARun(t *testing.T) {
	s := newSite(t, defaults)
	node := s.nodeCalled(t, "node-i0")
	path := s.begins(t, "wf-1", "wait", "running")
	b := browse(t, s)
	b.open("/ui" + path)
	b.becomes(fresh + ` === 'live'`)
	const bar = `Number(document.querySelector('.gantt rect.actual').getAttribute('width'))`
	reads[float64](b, `window.before = `+bar)
	b.becomes(bar + ` > window.before`)

	out := node.output(t, s.executionOf(t, path))
	write(t, out.Stdout(), "héllo <b>\n")
	b.do(chromedp.Click(chromedp.CSS(`[data-output]`)))
	b.becomes(`document.querySelector('#output-text').textContent === 'héllo <b>\n'`)
	write(t, out.Stdout(), "more")
	b.becomes(`document.querySelector('#output-text').textContent === 'héllo <b>\nmore'`)

	reads[bool](b, `window.stays = true`)
	other := browse(t, s)
	other.open("/ui" + path)
	other.do(chromedp.Click(chromedp.CSS(`form[action$=cancel] button`)), chromedp.WaitVisible(chromedp.CSS(`form[method=post][action$=cancel]`)))
	if asked := s.do(t, http.MethodGet, path, "").json(t)["state"]; asked != "running" {
		t.Errorf("the question alone made it %v", asked)
	}
	other.do(chromedp.Click(chromedp.CSS(`form[method=post] button`)), chromedp.WaitVisible(chromedp.CSS(`[role=status][data-status=cancelled]`)))
	b.becomes(answered + ` === 'cancelled' && window.stays && document.querySelector('form[action$=cancel]') === null`)
}
