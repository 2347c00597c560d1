package carry_test

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"oc-scheduler/httpapi/carry"
	"oc-scheduler/internal/natstest"
)

func TestEventsWithNamesAndIDs(t *testing.T) {
	t.Parallel()
	source := (&feed{}).say(carry.Frame{Event: "state", ID: "7", Data: []byte(`{"a":1}`)})
	s := newSite(t, carry.Config{}, always(source))
	response := s.get(t, "/events")
	if response.status != http.StatusOK || response.header.Get("Content-Type") != "text/event-stream" || response.header.Get("Cache-Control") != "no-store" {
		t.Errorf("answer is %d %v", response.status, response.header)
	}
	r := response.body
	lines(t, r, "retry: 2000\nevent: state\nid: 7\ndata: {\"a\":1}\n\n")
	source.say(carry.Frame{Event: "transition", ID: "8", Data: []byte("2")}, carry.Frame{Event: "error", Data: []byte("3")}).over(carry.Done)
	lines(t, r, "event: transition\nid: 8\ndata: 2\n\nevent: error\ndata: 3\n\n")
	if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
		t.Errorf("the end is %q, %v", rest, err)
	}
	source.isClosed(t)
	s.ends(t, carry.Events, "1000", 1)
	s.note(func() {
		if len(s.wrote) != 3 || s.wrote[1] != "sse transition" {
			t.Errorf("wrote %q", s.wrote)
		}
	})
}

// TestAClientThatHasAllIsToldNotToComeAgain: a browser comes again after every end but this one.
func TestAClientThatHasAllIsToldNotToComeAgain(t *testing.T) {
	t.Parallel()
	source := (&feed{}).over(carry.Done)
	s := newSite(t, carry.Config{}, always(source))
	response := s.get(t, "/events")
	if response.status != http.StatusNoContent || response.header.Get("Content-Type") != "" {
		t.Errorf("answer is %d %v", response.status, response.header)
	}
	source.isClosed(t)
}

func TestAFaultBeforeTheFirstEventIsNoEnd(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]*feed{"an error": (&feed{}).over(errors.New("broken")), "a panic": (&feed{}).say(data("panic"))} {
		s := newSite(t, carry.Config{}, always(source))
		if response := s.get(t, "/events"); response.status != http.StatusOK || response.header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("%s: answer is %d %v", name, response.status, response.header)
		}
		source.isClosed(t)
		s.ends(t, carry.Events, "1011", 1)
	}
}

func TestCommentsWhileNothingIsSaid(t *testing.T) {
	t.Parallel()
	source := &feed{}
	s := newSite(t, carry.Config{CommentEvery: 50 * time.Millisecond}, always(source)) // ten are beyond the timeouts of whole answers
	r := s.get(t, "/events").body
	for range 10 {
		lines(t, r, ":\n\n")
	}
	source.say(carry.Frame{Event: "e", Data: []byte("1")})
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if line == "event: e\n" {
			return
		}
	}
}

func TestEventClientThatDoesNotReadIsCut(t *testing.T) {
	t.Parallel()
	source := &feed{}
	s := newSite(t, carry.Config{WriteWithin: 100 * time.Millisecond, CommentEvery: 10 * time.Microsecond}, always(source))
	s.client = deaf(t)
	s.get(t, "/events")
	s.ends(t, carry.Events, "slow", 1)
	source.isClosed(t)
}

func TestEventClientThatLeaves(t *testing.T) {
	t.Parallel()
	source := (&feed{}).say(carry.Frame{Event: "e", Data: []byte("1")})
	s := newSite(t, carry.Config{}, always(source))
	response := s.get(t, "/events")
	lines(t, response.body, "retry: 2000\nevent: e\ndata: 1\n\n")
	if err := response.leave(); err != nil {
		t.Fatal(err)
	}
	s.ends(t, carry.Events, "1006", 1)
	natstest.Eventually(t, "no stream is left", func() bool { return s.Streams() == 0 })
}

// TestTextThatBreaksOffIsNoEnd: of text the way it ends is all that tells.
func TestTextThatBreaksOffIsNoEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cause error
		whole bool
	}{{carry.Done, true}, {carry.Fault, false}, {errors.New("broken"), false}} {
		s := newSite(t, carry.Config{}, always((&feed{}).say(data("one\n"), data("two\n")).over(c.cause)))
		body, err := io.ReadAll(s.get(t, "/text").body)
		if string(body) != "one\ntwo\n" || (err == nil) != c.whole {
			t.Errorf("%v: %q, %v", c.cause, body, err)
		}
	}
	empty := newSite(t, carry.Config{}, always((&feed{}).over(carry.Done))).get(t, "/text")
	if body, err := io.ReadAll(empty.body); err != nil || len(body) > 0 || empty.status != http.StatusOK {
		t.Errorf("without text: %d %q, %v", empty.status, body, err)
	}
}
