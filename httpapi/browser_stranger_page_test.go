//go:build page

package httpapi_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"oc-scheduler/internal/natstest"
)

// TestPageServesAStranger who goes by what stands there alone: he finds why a workflow can't run tomorrow at nine and
// when it could, books it, and cancels it, by six presses.
func TestPageServesAStranger(t *testing.T) {
	s := bookable(t)
	tomorrow := time.Now().UTC().AddDate(0, 0, 1).Format(time.DateOnly)
	s.planned(t, fmt.Appendf(nil, `{"peer_id":"peer-a","generated_at":%q,"capacities":{"cluster":{"i0":{"cores":10}}},"schedule":{"cluster":[{"start":"%[2]sT08:00:00Z","end":"%[2]sT11:30:00Z","instance_id":"i0","usage":{"cores":6}}]}}`,
		time.Now().UTC().Format(time.RFC3339Nano), tomorrow))
	s.watches(t, "wf-1") // as a peer that answers each time does
	b := browse(t, s)
	b.do(call(emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "UTC"}))
	b.do(chromedp.Navigate(s.url))
	b.press("wf-1")
	b.fill("Start", tomorrow+"T09:00")
	b.fill("Duration", "1h")
	b.press("Ask")
	b.says("unavailable")
	b.says("cores: 8 asked for, 4 free; taken by the peer's own bookings")
	b.says("11:30:00 UTC")
	b.press("Ask for that")
	b.comes(answered + ` === 'available' && document.querySelector('[role=status]').innerText.includes('11:30:00 UTC')`)
	b.press("Book")
	b.says("booked")
	b.press("Cancel")
	b.press("Cancel the schedule")
	b.says("cancelled")
	if presses := 6; b.presses != presses {
		t.Errorf("it took %d presses", b.presses)
	}
}

// press presses the only button or link of a name, when it is there.
func (b *tab) press(name string) {
	b.t.Helper()
	b.comes(fmt.Sprintf(`(() => {
		const shown = [...document.querySelectorAll('a, button')].filter((e) => e.checkVisibility() && e.innerText.trim() === %q)
		if (shown.length !== 1) return false
		setTimeout(() => shown[0].click())
		return true
	})()`, name))
	b.presses++
}

// fill fills in the field whose label begins so.
func (b *tab) fill(label, value string) {
	b.t.Helper()
	b.comes(fmt.Sprintf(`(() => {
		const of = [...document.querySelectorAll('label')].filter((e) => e.innerText.startsWith(%q))
		if (of.length !== 1) return false
		of[0].control.value = %q
		of[0].control.dispatchEvent(new Event('input', { bubbles: true }))
		return true
	})()`, label, value))
}

// says waits until the page says something.
func (b *tab) says(what string) {
	b.t.Helper()
	b.comes(fmt.Sprintf(`document.querySelector('main').innerText.includes(%q)`, what))
}

// comes waits until an expression holds, on whatever page that is: no page answers while it is left.
func (b *tab) comes(expression string) {
	b.t.Helper()
	natstest.Eventually(b.t, expression, func() bool {
		holds, err := chromedp.Run(b.Context, chromedp.Evaluate[bool](expression))
		return err == nil && holds
	})
}
