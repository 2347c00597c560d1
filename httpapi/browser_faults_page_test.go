//go:build page

package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPageTellsFaultsAtTheirFields: the first has the focus, and nothing that was typed is lost.
func TestPageTellsFaultsAtTheirFields(t *testing.T) {
	s := bookable(t)
	b := browse(t, s)
	b.expect("422")
	b.open("/ui/workflows/wf-1/recurring")
	b.do(chromedp.SetValue(chromedp.CSS(`#repeat`), "own"), chromedp.SetValue(chromedp.CSS(`#cron`), "0 25 * * *"), chromedp.SetValue(chromedp.CSS(`#time_zone`), "Mars/Base"), chromedp.SetValue(chromedp.CSS(`#duration`), "1h"),
		chromedp.Click(chromedp.CSS(`form.question button`)), chromedp.WaitVisible(chromedp.CSS(`.fault`)))
	b.becomes(`document.activeElement.id === 'cron' && document.querySelector('#cron').value === '0 25 * * *' && document.querySelector('#time_zone').value === 'Mars/Base' && document.querySelector('#duration').value === '1h'`)
	b.becomes(`[...document.querySelectorAll('[aria-invalid]')].every((e) => document.getElementById(e.getAttribute('aria-describedby')).textContent !== '')`)
	b.accessible(t, "faults")
	b.do(chromedp.SetValue(chromedp.CSS(`#cron`), "0 8 * * *"), chromedp.SetValue(chromedp.CSS(`#time_zone`), "Europe/Paris"),
		chromedp.Click(chromedp.CSS(`form.question button`)), chromedp.WaitVisible(chromedp.CSS(`[data-part=preview]`)))
}

// TestPageComesWhenItCan: one that a replica can't show yet comes by itself.
func TestPageComesWhenItCan(t *testing.T) {
	s := newSite(t, defaults)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	bare := newBareSite(t, defaults)
	b := browse(t, bare)
	b.expect("503")
	b.open("/ui/")
	b.becomes(`document.querySelector('h1').textContent === 'Service Unavailable'`)
	b.accessible(t, "not yet")
	bare.Attach(s.parts)
	b.do(chromedp.WaitVisible(chromedp.CSS(`[data-part=strip]`)))
}
