//go:build page

package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
)

// tab is a page in a real browser; what its console says is a failure.
type tab struct {
	context.Context
	t *testing.T
	s *site

	expected []string // what the console may say
	presses  int

	mu     sync.Mutex
	faults []string
}

// expect has the console say something.
func (b *tab) expect(what ...string) { b.expected = what }

// browse opens a browser with one tab.
func browse(t *testing.T, s *site) *tab {
	t.Helper()
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Fatal("chromium is missing: install Debian's package of that name")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox, chromedp.WindowSize(1280, 1000))
	allocated, closeBrowser := chromedp.NewExecAllocator(t.Context(), options...)
	ctx, closeTab := chromedp.NewContext(allocated)
	b := &tab{Context: ctx, t: t, s: s}
	t.Cleanup(func() {
		closeTab()
		closeBrowser()
		b.mu.Lock()
		defer b.mu.Unlock()
		if len(b.faults) > 0 {
			t.Errorf("the console says:\n%s", strings.Join(b.faults, "\n"))
		}
	})
	if err := chromedp.Do(ctx, call(runtime.Enable, cdp.Empty{}), call(log.Enable, cdp.Empty{})); err != nil { // which starts the browser
		t.Fatal(err)
	}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	return b
}

// call is a command of the browser's protocol as an action.
func call[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

// hear keeps what the console says, but for connections that fail while a test takes the server away.
func (b *tab) hear(event any) {
	var said string
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		said = fmt.Sprintf("%+v", e.ExceptionDetails)
	case *log.EventEntryAdded:
		if e.Entry.Level == "verbose" {
			return
		}
		said = fmt.Sprintf("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL)
	case *runtime.EventConsoleAPICalled:
		said = string(e.Type)
	default:
		return
	}
	if slices.ContainsFunc(append([]string{"WebSocket connection", "ERR_CONNECTION_", "ERR_SOCKET_", "ERR_EMPTY_RESPONSE"}, b.expected...), func(what string) bool { return strings.Contains(said, what) }) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults = append(b.faults, said)
}

// do carries out actions within the patience of a test.
func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.Context, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) open(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.s.url + path))
}

// reads is what an expression gives in the page.
func reads[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.Context, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// becomes waits until an expression holds in the page.
func (b *tab) becomes(expression string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.Context, patience)
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingTimeout(patience))); err != nil {
		b.t.Fatalf("%s: %v\n%s", expression, err, reads[string](b, "document.querySelector('main').innerText"))
	}
}

const (
	book     = `[data-part=actions] [formaction$="/schedules"]`
	answered = `document.querySelector('[role=status]').dataset.status`
	fresh    = `document.querySelector('#freshness').dataset.freshness`
)

// TestPageIsLive holds that a planner shows without a reload.
func TestPageIsLive(t *testing.T) {
	s := newSite(t, defaults)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	b := browse(t, s)
	b.open("/ui/workflows/wf-1?start=2026-12-01T09:00:00Z&duration=1h")
	b.becomes(answered + ` === 'unknown'`)
	b.becomes(fresh + ` === 'live'`)
	reads[bool](b, `window.stays = true`)
	s.plan(t, "peer-a", 7)
	b.becomes(answered + ` === 'unavailable' && document.querySelector('rect.conflict') !== null`)
	s.plan(t, "peer-a", 10)
	b.becomes(answered + ` === 'available' && document.querySelector('rect.conflict') === null`)
	b.becomes(`window.stays`)
	s.do(t, http.MethodDelete, "/oc/wf-1", "").ok(t, http.StatusNoContent)
	b.becomes(`document.querySelector('#freshness').textContent.includes('removed')`)
}

// TestPageMovesTheWindow by keys and by dragging; the address follows.
func TestPageMovesTheWindow(t *testing.T) {
	s := newSite(t, defaults)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	s.plan(t, "peer-a", 10)
	b := browse(t, s)
	b.open("/ui/workflows/wf-1?start=2026-12-01T09:00:00Z&duration=1h")
	b.becomes(answered + ` === 'available'`)
	const start = `new URL(location.href).searchParams.get('start')`
	b.do(chromedp.Focus(chromedp.CSS(`[data-window]`)), chromedp.KeyEvent(kb.ArrowRight))
	b.becomes(start + ` === '2026-12-01T09:05:00Z'`)
	b.becomes(`document.querySelector('[data-window]').dataset.start === '2026-12-01T09:05:00Z' && document.activeElement.matches('[data-window]')`)
	b.do(chromedp.KeyEvent(kb.PageUp))
	b.becomes(start + ` === '2026-12-01T10:05:00Z'`)
	b.becomes(`document.querySelector('[data-window]').dataset.start === '2026-12-01T10:05:00Z'`)
	at := reads[map[string]float64](b, `(() => { const r = document.querySelector('[data-window]').getBoundingClientRect(); return { x: r.x + r.width / 2, y: r.y + r.height / 2 } })()`)
	b.do(chromedp.DragAndDropXY(at["x"], at["y"], at["x"]+300, at["y"], 5))
	b.becomes(start + ` > '2026-12-01T12'`)
}

// TestPageComesBack from a connection that was cut, by itself.
func TestPageComesBack(t *testing.T) {
	s := newSite(t, defaults)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	s.plan(t, "peer-a", 10)
	link := natstest.StartProxy(t, strings.TrimPrefix(s.url, "http://"))
	b := browse(t, s)
	b.do(chromedp.Navigate("http://" + link.Addr() + "/ui/workflows/wf-1?start=2026-12-01T09:00:00Z&duration=1h"))
	b.becomes(fresh + ` === 'live'`)
	link.Cut()
	b.becomes(fresh + ` === 'reconnecting'`)
	link.Pass()
	b.becomes(fresh + ` === 'live'`)
	s.plan(t, "peer-a", 7) // as the peer does that is asked again
	b.becomes(answered + ` === 'unavailable'`)
}

// TestPageNoticesADrain of its replica.
func TestPageNoticesADrain(t *testing.T) {
	s := newSite(t, defaults)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	b := browse(t, s)
	b.open("/ui/workflows/wf-1?duration=1h")
	b.becomes(fresh + ` === 'live'`)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := s.Drain(ctx); err != nil {
		t.Fatal(err)
	}
	b.becomes(fresh + ` === 'reconnecting'`)
}

// TestPageTellsTimesWhereOneIs in the zone of the browser, named, or in UTC.
func TestPageTellsTimesWhereOneIs(t *testing.T) {
	s := newSite(t, defaults)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	b := browse(t, s)
	b.do(call(emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "Asia/Kolkata"}))
	b.open("/ui/workflows/wf-1?start=2026-12-01T09:00:00Z&duration=1h")
	b.becomes(`document.querySelector('[role=status]').textContent.includes('14:30:00 GMT+5:30')`)
	b.becomes(`document.querySelector('#start').value === '2026-12-01T14:30'`)
	b.do(chromedp.Click(chromedp.CSS(`#zone`)))
	b.becomes(`document.querySelector('[role=status]').textContent.includes('09:00:00 UTC')`)
	b.do(chromedp.Click(chromedp.CSS(`form.question button`)))
	b.becomes(`new URL(location.href).searchParams.get('start')?.startsWith('2026-12-01T09:00:00')`)
}

// TestPageBooks what is asked, and cancels it; the answer of another tab follows.
func TestPageBooks(t *testing.T) {
	s := bookable(t)
	b, other := browse(t, s), browse(t, s)
	address := "/ui/workflows/wf-1?start=" + on(0) + "T09:00:00Z&duration=1h"
	other.open(address)
	other.becomes(answered + ` === 'available'`)
	b.open(address)
	b.do(chromedp.Click(chromedp.CSS(book)), chromedp.WaitVisible(chromedp.CSS(`tr[data-status=booked]`)))
	other.becomes(answered + ` === 'unavailable' && document.querySelector('rect.conflict') !== null`)
	b.do(chromedp.Click(chromedp.CSS(`form[action$=cancel] button`)), chromedp.WaitVisible(chromedp.CSS(`form[method=post][action$=cancel]`)))
	b.do(chromedp.Click(chromedp.CSS(`form[method=post] button`)), chromedp.WaitVisible(chromedp.CSS(`[data-status=cancelled]`)))
	other.becomes(answered + ` === 'available'`)
}

// TestPageWithoutScript holds that forms work where no script runs.
func TestPageWithoutScript(t *testing.T) {
	s := newSite(t, defaults)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	s.enrol(t, "n1", store.Pending)
	s.plan(t, "peer-a", 10)
	b := browse(t, s)
	b.do(call(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
	b.open("/ui/workflows/wf-1")
	b.do(chromedp.SetValue(chromedp.CSS(`#duration`), "2h"), chromedp.Submit(chromedp.CSS(`form.question`)),
		chromedp.WaitVisible(chromedp.CSS(`[role=status][data-status=available]`)))
	b.open("/ui/nodes/n1")
	b.do(chromedp.Submit(chromedp.CSS(`form[action$=approve]`)), chromedp.WaitNotPresent(chromedp.CSS(`form[action$=approve]`)))
	address, err := chromedp.Run(b.Context, chromedp.Location())
	if err != nil || address != s.url+"/ui/nodes/n1" {
		t.Errorf("the form leads to %s, %v", address, err)
	}
}
