package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	bus "oc-scheduler/events"
	"oc-scheduler/jet"
	"oc-scheduler/store/access"
)

type deadPage struct {
	Items []struct {
		Seq             uint64
		At              time.Time
		Subject, Reason string
		Detail          string
		Bytes           int
		Body            []byte
	}
	NextCursor *string `json:"next_cursor"`
}

func (s *site) dead(t *testing.T, query string) (p deadPage) {
	t.Helper()
	if err := json.Unmarshal(s.do(t, http.MethodGet, "/dead"+query, "").ok(t, http.StatusOK).body, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func (s *site) bury(t *testing.T, subject, reason string, body []byte) {
	t.Helper()
	letter := jet.Letter{Subject: "oc.dead." + subject, ID: fmt.Sprint(subject, reason), Reason: reason, Detail: "because", Data: body}
	if _, err := jet.Bury(t.Context(), s.js, letter, jetstream.WithExpectStream(bus.DeadStream)); err != nil {
		t.Fatal(err)
	}
}

// TestDeadLettersAreShownNewestFirst, page by page, each once, with as much of its body as people look at.
func TestDeadLettersAreShownNewestFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.do(t, http.MethodGet, "/dead", "").problem(t, http.StatusServiceUnavailable) // its stream is away
	if _, err := bus.OpenBus(t.Context(), s.js, 1); err != nil {
		t.Fatal(err)
	}
	if p := s.dead(t, ""); len(p.Items) != 0 || p.NextCursor != nil {
		t.Errorf("of none: %+v", p)
	}
	large := bytes.Repeat([]byte("x"), 1<<20)
	for i := range 7 {
		s.bury(t, bus.CreateResource, fmt.Sprint("r", i), large[:i])
	}
	s.bury(t, "oc.compute.n.out.msgs", "r7", large)
	if p := s.dead(t, "?limit=1"); p.Items[0].Subject != "oc.compute.n.out.msgs" || p.Items[0].Bytes != 1<<20 || len(p.Items[0].Body) != 64<<10 ||
		p.Items[0].Detail != "because" || time.Since(p.Items[0].At) > time.Hour {
		t.Errorf("%+v", p.Items[0])
	}
	stream, err := s.js.Stream(t.Context(), bus.DeadStream)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.DeleteMsg(t.Context(), 5); err != nil {
		t.Fatal(err)
	}
	var seen []uint64
	for query := "?limit=3"; ; {
		p := s.dead(t, query)
		for _, item := range p.Items {
			seen = append(seen, item.Seq)
		}
		if len(seen) == 3 {
			s.bury(t, bus.CreateResource, "while a reader pages", nil)
		}
		if p.NextCursor == nil {
			break
		}
		query = "?limit=3&cursor=" + *p.NextCursor
	}
	if fmt.Sprint(seen) != "[8 7 6 4 3 2 1]" {
		t.Errorf("places %v", seen)
	}
	for _, query := range []string{"?limit=0", "?limit=1001", "?cursor=x", "?cursor=MA", "?after=1"} {
		s.do(t, http.MethodGet, "/dead"+query, "").problem(t, http.StatusUnprocessableEntity)
	}
}

// TestAPageOfLargeLettersEnds before it is too large, and goes on where it ended.
func TestAPageOfLargeLettersEnds(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	if _, err := bus.OpenBus(t.Context(), s.js, 1); err != nil {
		t.Fatal(err)
	}
	const letters = 24
	body := bytes.Repeat([]byte("x"), 640<<10)
	for i := range letters {
		s.bury(t, bus.CreateResource, fmt.Sprint(i), body)
	}
	want := uint64(letters)
	for query := "?limit=1000"; ; {
		p := s.dead(t, query)
		if len(p.Items) == 0 || len(p.Items) > 16 {
			t.Fatalf("%d letters in a page", len(p.Items))
		}
		for _, item := range p.Items {
			if item.Seq != want {
				t.Fatalf("letter %d in the place of %d", item.Seq, want)
			}
			want--
		}
		if p.NextCursor == nil {
			break
		}
		query = "?cursor=" + *p.NextCursor
	}
	if want != 0 {
		t.Errorf("%d letters were not shown", want)
	}
}

// TestTheDeadPage shows to operators what could not be used, as text, whatever it holds.
func TestTheDeadPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	if _, err := bus.OpenBus(t.Context(), s.js, 1); err != nil {
		t.Fatal(err)
	}
	operator := s.as(t, access.Operator)
	see := func(path string) string {
		t.Helper()
		return string(s.do(t, http.MethodGet, path, "", "Authorization", operator).ok(t, http.StatusOK).body)
	}
	if page := see("/ui/dead"); !strings.Contains(page, "There is none.") {
		t.Errorf("of none:\n%s", page)
	}
	s.bury(t, bus.CreateResource, "not JSON", []byte("<script>\u202e\nline"))
	s.bury(t, bus.CreateResource, "no text", []byte{0xff, 0xfe, 0})
	s.bury(t, bus.CreateResource, "long", append([]byte("x"), bytes.Repeat([]byte("é"), 5000)...))
	for range 50 {
		s.bury(t, bus.RemoveResource, fmt.Sprint("more", s.seq), []byte("x"))
		s.seq++
	}
	first := see("/ui/dead")
	if strings.Contains(first, "not JSON") || !strings.Contains(first, `href="?before=4"`) {
		t.Errorf("the first page is\n%s", first)
	}
	older := see("/ui/dead?before=4")
	for _, part := range []string{"not JSON", "because", "&lt;script&gt;⟨U&#43;202E⟩\nline", "ff fe 00", "10001 bytes", "Only its beginning is shown."} {
		if !strings.Contains(older, part) {
			t.Errorf("no %q in\n%s", part, older)
		}
	}
	s.do(t, http.MethodGet, "/ui/dead?before=x", "", "Authorization", operator).ok(t, http.StatusUnprocessableEntity)
	user := s.do(t, http.MethodGet, "/ui/dead", "", "Authorization", s.as(t, access.User)).ok(t, http.StatusForbidden)
	if !strings.Contains(string(user.body), "<h1>Forbidden</h1>") || strings.Contains(string(user.body), "/ui/dead") {
		t.Errorf("a user is shown\n%s", user.body)
	}
}
