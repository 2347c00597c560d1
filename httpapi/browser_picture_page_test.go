//go:build page

package httpapi_test

import (
	"bytes"
	"context"
	"flag"
	"image"
	"image/color"
	"image/png"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"oc-scheduler/internal/natstest"
)

var redraw = flag.Bool("redraw", false, "take the pictures of the page anew")

// Pictures differ by the fonts and the edges of a browser's version: what counts is how bright squares are.
const (
	square      = 8    // pixels a side
	mostOff     = 24   // of 255, that a square may differ unnoticed
	mostSquares = 0.03 // of all, that may differ
	mostBytes   = 64 << 10
)

// settle takes out of a page what no two pictures of it have in common: times that have to do with now, ids and ages.
const settle = `(() => {
	document.querySelectorAll('[data-part]').forEach((e) => e.removeAttribute('data-part')); // it stays as it is
	document.querySelectorAll('#freshness, [data-countdown]').forEach((e) => e.replaceWith(e.cloneNode(true)));
	document.querySelectorAll('time, [data-countdown], #freshness').forEach((e) => { e.textContent = 'Thu, 24 Dec 2026, 09:00:00 UTC'; });
	document.querySelectorAll('[data-countdown]').forEach((e) => e.removeAttribute('data-countdown'));
	document.querySelectorAll('bdi').forEach((e) => { if (/^[a-z]+-[0-9a-z]{10,}$/.test(e.textContent)) e.textContent = 'x-0'; });
	document.querySelectorAll('.gantt rect, .gantt text, .gantt line').forEach((e) => e.remove());
	document.querySelectorAll('#start, #until').forEach((e) => { e.value = ''; });
	document.querySelectorAll('td').forEach((e) => { if (/\d\d:\d\d [+-]\d\d:\d\d$/.test(e.textContent)) e.textContent = 'then'; });
	document.querySelectorAll('tr[data-status] .status').forEach((e) => { if (e.textContent.length < 4) e.textContent = ''; });
	return true;
})()`

// settleIDs is for a page that has nothing to do with now but its ids and its age.
const settleIDs = `(() => {
	document.querySelectorAll('[data-part]').forEach((e) => e.removeAttribute('data-part'));
	document.querySelectorAll('#freshness').forEach((e) => { e.replaceWith(e.cloneNode(true)); });
	document.querySelectorAll('bdi').forEach((e) => { if (/^[a-z]+-[0-9a-z]{10,}$/.test(e.textContent)) e.textContent = 'x-0'; });
	document.querySelectorAll('#holds-title, #schedules-title, #runs-title').forEach((e) => e.parentNode.remove());
	return true;
})()`

// pictured is a site with a workflow that does not fit, and why.
func pictured(t *testing.T) *site {
	t.Helper()
	s := newSite(t, defaults)
	s.do(t, http.MethodPut, "/oc/align-genomes", `{"id":"align-genomes","name":"Align the genomes of a batch","graph":{"items":{
		"fetch":{"processing":{"duration_s":1800}},"align":{"processing":{"duration_s":5400}},"report":{"processing":{"duration_s":1800}},
		"gpus":{"compute":{"id":"cluster","peer_id":"north","demand":{"gpus":3,"ram_gb":64}}},
		"disk":{"storage":{"id":"archive","peer_id":"south","demand":{"storage_gb":1200}}}},
		"links":[{"source":"fetch","destination":"align"},{"source":"align","destination":"report"},{"source":"align","destination":"gpus"}]}}`).ok(t, http.StatusCreated)
	s.planned(t, []byte(`{"peer_id":"north","generated_at":"2026-11-30T00:00:00Z","capacities":{"cluster":{"rack-1":{"gpus":8,"ram_gb":512},"rack-2":{"gpus":4,"ram_gb":256}}},
		"schedule":{"cluster":[{"start":"`+on(0)+`T06:00:00Z","end":"`+on(0)+`T11:00:00Z","instance_id":"rack-1","usage":{"gpus":6,"ram_gb":128}},
		{"start":"`+on(0)+`T10:00:00Z","end":"`+on(0)+`T14:00:00Z","instance_id":"rack-2","usage":{"gpus":3,"ram_gb":32}}]}}`))
	s.planned(t, []byte(`{"peer_id":"south","generated_at":"2026-11-30T00:00:00Z","capacities":{"archive":{"tape":{"storage_gb":4000}}},
		"schedule":{"archive":[{"start":"`+on(0)+`T07:00:00Z","end":"`+on(0)+`T08:30:00Z","usage":{"storage_gb":2100}},{"start":"`+on(0)+`T15:00:00Z","end":"`+on(0)+`T20:00:00Z","usage":{"storage_gb":3000}}]}}`))
	natstest.Eventually(t, "the planners are in view", func() bool { return s.parts.Planners.Len() == 2 })
	at := "start=" + on(0) + "T"
	s.sent(t, "/ui/workflows/align-genomes/schedules", at+"12:00:00Z")
	s.sent(t, "/ui/workflows/align-genomes/holds", at+"11:00:00Z&ttl_s=900")
	s.watches(t, "align-genomes")
	return s
}

// watches keeps a workflow's planners from going when no page is open.
func (s *site) watches(t *testing.T, workflowID string) {
	t.Helper()
	conn := s.dial(t, "/oc/"+workflowID+"/check?duration=1h", nil)
	receive(t, conn)
	ended := make(chan struct{})
	t.Cleanup(func() { _ = conn.CloseNow(); <-ended })
	go func() {
		defer close(ended)
		for {
			if _, _, err := conn.Read(context.WithoutCancel(t.Context())); err != nil {
				return
			}
		}
	}()
}

// TestPagePictures holds how each view looks, in light, in dark, and on a telephone.
func TestPagePictures(t *testing.T) {
	s, views := everything(t)
	for _, view := range []string{"workflow", "workflow-short", "workflow-hostile", "workflows"} {
		delete(views, view)
	}
	views["sure"], views["faults"], views["absent"] = views["run"]+"/cancel", "/ui/workflows/wf-2/recurring?cron=never&time_zone=Nowhere", "/ui/peers/nope"
	views["docs"], views["sure-start"] = "/docs", "/ui/workflows/wf-2/runs?duration=1h"
	b := browse(t, s)
	b.expect("40", "422")
	s.watches(t, "wf-2")
	b.photograph(views, settle, usual)
	p := pictured(t)
	b = browse(t, p)
	b.photograph(map[string]string{"workflows": "/ui/"}, settle, usual)
	b.photograph(map[string]string{"workflow": "/ui/workflows/align-genomes?start=" + on(0) + "T10:00:00Z"}, settleIDs, all)
	guard := newSite(t, guarded())
	b = browse(t, guard)
	b.expect("401")
	b.photograph(map[string]string{"login": "/ui/login"}, settle, usual)
}

// sight is how a page is looked at.
type sight struct {
	scheme string
	media  string // empty: a screen
	forced string // colours: none or active
	width  int64
	height int64
}

var (
	usual = map[string]sight{"light": {"light", "", "none", 1000, 900}, "dark": {"dark", "", "none", 1000, 900}, "narrow": {"light", "", "none", 360, 900}}
	all   = func() map[string]sight {
		all := maps.Clone(usual)
		for name, how := range all { // down to the timeline
			how.height = 1250
			all[name] = how
		}
		all["forced"], all["print"], all["wide"] = sight{"dark", "", "active", 1000, 1250}, sight{"dark", "print", "none", 1000, 1250}, sight{"light", "", "none", 2560, 900}
		return all
	}()
)

// photograph holds pictures of views against those that are kept.
func (b *tab) photograph(views map[string]string, settle string, sights map[string]sight) {
	b.t.Helper()
	b.do(call(emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "UTC"}))
	for view, path := range views {
		for name, how := range sights {
			b.do(call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: how.media, Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: how.scheme}, {Name: "forced-colors", Value: how.forced},
			}}))
			b.do(chromedp.EmulateViewport(how.width, how.height))
			b.open(path)
			b.becomes(`!('live' in document.querySelector('main').dataset) || ` + fresh + ` === 'live'`)
			reads[bool](b, settle)
			ctx, cancel := context.WithTimeout(b.Context, patience)
			shot, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
			cancel()
			if err != nil {
				b.t.Fatal(err)
			}
			b.compare(view+"-"+name, shot)
		}
	}
}

// compare holds a picture against the one that is kept.
func (b *tab) compare(name string, shot []byte) {
	b.t.Helper()
	kept := filepath.Join("..", "testdata", "page", name+".png")
	if *redraw {
		small := indexed(b.t, shot)
		if len(small) > mostBytes {
			b.t.Errorf("%s has %d bytes", name, len(small))
		}
		if err := os.WriteFile(kept, small, 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(kept)
	if err != nil {
		b.t.Fatal(err)
	}
	if off := difference(b.t, shot, want); off > mostSquares {
		b.t.Errorf("%s looks otherwise in %.1f %% of it: is that meant? go test -tags page -run TestPagePictures ./httpapi -redraw takes it anew", name, 100*off)
		b.keep(name, shot)
	}
}

// indexed is a picture with the few colours that it has most of, which takes a third of the bytes.
func indexed(t *testing.T, shot []byte) []byte {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	size, often := picture.Bounds(), map[color.RGBA]int{}
	at := func(x, y int) color.RGBA {
		r, g, b, _ := picture.At(x, y).RGBA()
		return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}
	}
	each := func(f func(x, y int)) {
		for y := size.Min.Y; y < size.Max.Y; y++ {
			for x := size.Min.X; x < size.Max.X; x++ {
				f(x, y)
			}
		}
	}
	each(func(x, y int) { often[at(x, y)]++ })
	colours := slices.SortedFunc(maps.Keys(often), func(a, b color.RGBA) int { return often[b] - often[a] })
	var few color.Palette
	for _, c := range colours[:min(len(colours), 112)] {
		few = append(few, c)
	}
	small, nearest := image.NewPaletted(size, few), map[color.RGBA]uint8{}
	for c := range often {
		nearest[c] = uint8(few.Index(c))
	}
	each(func(x, y int) { small.SetColorIndex(x, y, nearest[at(x, y)]) })
	var encoded bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&encoded, small); err != nil {
		t.Fatal(err)
	}
	return encoded.Bytes()
}

// keep leaves a picture where somebody can look at it.
func (b *tab) keep(name string, shot []byte) {
	folder, err := os.MkdirTemp("", "page")
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), shot, 0o600)
	}
	b.t.Logf("it is in %s, %v", folder, err)
}

// difference is the part of the squares of two pictures that are not as bright as each other.
func difference(t *testing.T, a, b []byte) float64 {
	t.Helper()
	got, want := brightness(t, a), brightness(t, b)
	if len(got) != len(want) {
		return 1
	}
	off := 0
	for i := range got {
		if d := got[i] - want[i]; d > mostOff || d < -mostOff {
			off++
		}
	}
	return float64(off) / float64(len(got))
}

// brightness is that of each square of a picture, of 255.
func brightness(t *testing.T, encoded []byte) (squares []int) {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	size := picture.Bounds()
	for y := size.Min.Y; y+square <= size.Max.Y; y += square {
		for x := size.Min.X; x+square <= size.Max.X; x += square {
			squares = append(squares, mean(picture, x, y))
		}
	}
	return squares
}

func mean(picture image.Image, x, y int) int {
	sum := 0
	for dy := range square {
		for dx := range square {
			r, g, b, _ := picture.At(x+dx, y+dy).RGBA()
			sum += int(r>>8) + int(g>>8) + int(b>>8)
		}
	}
	return sum / (3 * square * square)
}
