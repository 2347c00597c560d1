//go:build page

package httpapi_test

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestPageHolds what is asked, counts down, and confirms it.
func TestPageHolds(t *testing.T) {
	s := bookable(t)
	b := browse(t, s)
	b.open("/ui/workflows/wf-1?start=" + on(0) + "T09:00:00Z&duration=1h")
	b.do(chromedp.SetValue(chromedp.CSS(`[name=ttl_s]`), "60"), chromedp.Click(chromedp.CSS(`[formaction$="/holds"]`)), chromedp.WaitVisible(chromedp.CSS(`[data-countdown]`)))
	const left = `document.querySelector('[data-countdown]').textContent`
	b.becomes(left + `.match(/^[01]:\d\d left$/) !== null`)
	reads[string](b, `window.before = `+left)
	b.becomes(left + ` !== window.before`)
	b.do(chromedp.Click(chromedp.CSS(`form[action$=confirm] button`)), chromedp.WaitVisible(chromedp.CSS(`tr[data-status=booked]`)))
}

// TestPageRecurs fills in the zone of the browser, previews, books, pauses and resumes, and cancels after a question.
func TestPageRecurs(t *testing.T) {
	s := bookable(t)
	b := browse(t, s)
	b.do(call(emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "Asia/Kolkata"}))
	b.open("/ui/workflows/wf-1?duration=1h")
	b.do(chromedp.Click(chromedp.CSS(`[data-part=actions] a`)), chromedp.WaitVisible(chromedp.CSS(`#cron`)))
	b.becomes(`document.querySelector('#time_zone').value.match(/^Asia\/(Kolkata|Calcutta)$/) !== null`)
	until := time.Now().UTC().Add(40 * 24 * time.Hour).Truncate(24 * time.Hour)
	b.do(chromedp.SetValue(chromedp.CSS(`#repeat`), "daily"), chromedp.SetValue(chromedp.CSS(`#at`), "08:30"))
	reads[bool](b, `(() => { const u = document.querySelector('#until'); u.value = '`+until.Format("2006-01-02T15:04")+`'; u.dispatchEvent(new Event('input')); return true })()`)
	b.do(chromedp.Click(chromedp.CSS(`form.question button`)), chromedp.WaitVisible(chromedp.CSS(`[data-part=preview] tbody tr`)))
	b.becomes(`document.querySelector('[data-part=preview] tbody time').textContent.includes('08:30:00 GMT+5:30')`)
	if sent := reads[string](b, `new URL(location.href).searchParams.get('until')`); sent != until.Add(-330*time.Minute).Format("2006-01-02T15:04:05.000Z") {
		t.Errorf("the end is sent as %s", sent)
	}
	s.plan(t, "peer-a", 10) // as the peer does that is asked again
	b.becomes(`document.querySelector('[data-part=preview] [role=status]').textContent.startsWith('10 of the next 10')`)
	b.do(chromedp.Click(chromedp.CSS(`[data-part=preview] button`)), chromedp.WaitVisible(chromedp.CSS(`form[action$=pause]`)))
	b.do(chromedp.Click(chromedp.CSS(`form[action$=pause] button`)), chromedp.WaitVisible(chromedp.CSS(`[role=status][data-status=paused]`)))
	b.do(chromedp.Click(chromedp.CSS(`form[action$=resume] button`)), chromedp.WaitVisible(chromedp.CSS(`[role=status][data-status=active]`)))
	b.do(chromedp.Click(chromedp.CSS(`form[action$=cancel] button`)), chromedp.WaitVisible(chromedp.CSS(`form[method=post][action$=cancel]`)))
	b.do(chromedp.Click(chromedp.CSS(`form[method=post] button`)), chromedp.WaitVisible(chromedp.CSS(`[role=status][data-status=cancelled]`)))
}

// TestPageStarts a run, without script as with it.
func TestPageStarts(t *testing.T) {
	for _, scripted := range []bool{true, false} {
		s := startable(t)
		s.watches(t, "wf-1") // as a peer that answers each time does
		b := browse(t, s)
		b.do(call(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !scripted}))
		b.open("/ui/workflows/wf-1")
		b.do(chromedp.Click(chromedp.CSS(`[formaction$="/runs"]`)), chromedp.WaitVisible(chromedp.CSS(`form[method=post]`)))
		if runs := s.listed(t, "/runs"); len(runs) > 0 {
			t.Errorf("the question alone began %v", runs)
		}
		b.do(chromedp.Click(chromedp.CSS(`form[method=post] button`)), chromedp.WaitVisible(chromedp.CSS(`.gantt`)))
		if runs := s.listed(t, "/runs"); len(runs) != 1 {
			t.Errorf("it began %d runs", len(runs))
		}
	}
}
