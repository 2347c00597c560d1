//go:build page

package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"oc-scheduler/internal/natstest"
)

// TestPageBooksOnce, however fast somebody presses, and what the fields say, also when they were changed after the answer.
func TestPageBooksOnce(t *testing.T) {
	s := newSite(t, defaults)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	s.plan(t, "peer-a", 64)
	natstest.Eventually(t, "the planner is in view", func() bool { return s.parts.Planners.Len() == 1 })
	b := browse(t, s)
	b.open("/ui/workflows/wf-1?start=" + on(0) + "T09:00:00Z&duration=1h")
	b.becomes(fresh + ` === 'live'`)
	b.do(chromedp.SetValue(chromedp.CSS(`#duration`), "2h"), chromedp.Click(chromedp.CSS(book)))
	b.comes(`new URL(location.href).searchParams.get('duration') === '2h' && document.querySelector('main').innerText.includes('Nothing was booked')`)
	if list := s.listed(t, "/schedules"); len(list) > 0 {
		t.Errorf("what was not checked is booked: %v", list)
	}
	b.becomes(fresh + ` === 'live'`)
	s.plan(t, "peer-a", 63) // the page is rendered anew meanwhile, for all who look
	b.becomes(answered + ` === 'available'`)
	reads[bool](b, `(() => {
		const button = document.querySelector('`+book+`');
		button.click(); button.click();
		setTimeout(() => { sessionStorage.setItem('disabled', button.disabled); button.click(); });
		return true;
	})()`)
	b.comes(`document.querySelector('tr[data-status=booked]') !== null`)
	if list, disabled := s.listed(t, "/schedules"), reads[string](b, `sessionStorage.getItem('disabled')`); len(list) != 1 || disabled != "true" {
		t.Errorf("three presses booked %d times; disabled in between: %v", len(list), disabled)
	}
}

// TestPageSnaps a window that is dragged to the grid of the zoom, and with Shift to the second.
func TestPageSnaps(t *testing.T) {
	s := bookable(t)
	b := browse(t, s)
	b.open("/ui/workflows/wf-1?zoom=day&start=" + on(0) + "T09:00:00Z&duration=1h")
	b.becomes(answered + ` === 'available'`)
	const start = `new URL(location.href).searchParams.get('start')`
	drag := func(by float64) string {
		t.Helper()
		before := reads[string](b, start)
		at := reads[map[string]float64](b, `(() => { const r = document.querySelector('[data-window]').getBoundingClientRect(); return { x: r.x + r.width / 2, y: r.y + r.height / 2 } })()`)
		b.do(chromedp.DragAndDropXY(at["x"], at["y"], at["x"]+by, at["y"], 5))
		b.becomes(start + ` !== '` + before + `'`)
		return reads[string](b, start)
	}
	if got := drag(101.3); !strings.HasSuffix(got, ":00Z") || reads[float64](b, `new Date(`+start+`).getUTCMinutes() % 15`) != 0 {
		t.Errorf("in a day it is dropped at %s", got)
	}
	reads[bool](b, `addEventListener('pointermove', (e) => { Object.defineProperty(e, 'shiftKey', { value: true }); }, true), true`)
	drag(77.7)
	b.becomes(`new Date(` + start + `).getTime() % 900e3 !== 0`)
	b.do(chromedp.Focus(chromedp.CSS(`[data-window]`)), chromedp.KeyEvent(kb.ArrowRight))
	b.becomes(`new Date(` + start + `).getTime() % 60e3 === 0`)
}

// TestPageMarksWhatIsOld when the server is gone: it says how old that is, until it is back.
func TestPageMarksWhatIsOld(t *testing.T) {
	s := bookable(t)
	link := natstest.StartProxy(t, strings.TrimPrefix(s.url, "http://"))
	b := browse(t, s)
	b.do(chromedp.Navigate("http://" + link.Addr() + "/ui/workflows/wf-1?start=" + on(0) + "T09:00:00Z&duration=1h"))
	b.becomes(fresh + ` === 'live' && document.querySelector('#stale').hidden`)
	link.Cut()
	b.becomes(`!document.querySelector('#stale').hidden && /was so \d+ s ago/.test(document.querySelector('#stale').textContent)`)
	b.becomes(`getComputedStyle(document.querySelector('[data-part=answer]')).filter.includes('grayscale')`)
	b.accessible(t, "old")
	link.Pass()
	b.becomes(fresh + ` === 'live' && document.querySelector('#stale').hidden && !document.querySelector('main').classList.contains('old')`)
}
