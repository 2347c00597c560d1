package ncl_test

import (
	"context"
	"errors"
	"net/textproto"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
)

func TestReason(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"not today":                       "not today",
		"":                                "no reason is given",
		"\r\n\x00\t ":                     "no reason is given",
		"one\r\nOc-Stream: two\r\n":       "one  Oc-Stream: two",
		"one\ntwo\u2028three\u0085four":   "one two three four",
		"a\xffb\xc3":                      "ab",
		strings.Repeat("x", 200_000):      strings.Repeat("x", ncl.MaxReason),
		strings.Repeat("ä", 200_000):      strings.Repeat("ä", ncl.MaxReason/2),
		"x" + strings.Repeat("ä", 200_00): "x" + strings.Repeat("ä", ncl.MaxReason/2-1),
		strings.Repeat("\x00", 200_000):   "no reason is given",
	} {
		if got := ncl.Reason(text); got != want {
			t.Errorf("%.40q: got %.40q, want %.40q", text, got, want)
		}
	}
}

func FuzzReason(f *testing.F) {
	f.Add("one\r\nOc-Stream: two")
	f.Add("\xc3\xe2\x80\xa8")
	f.Fuzz(func(t *testing.T, text string) {
		got := ncl.Reason(text)
		if got == "" || len(got) > ncl.MaxReason || !utf8.ValidString(got) || strings.ContainsAny(got, "\r\n\x00") {
			t.Errorf("%q", got)
		}
		if got != textproto.TrimString(got) || got != ncl.Reason(got) {
			t.Errorf("%q does not stay the same", got)
		}
	})
}

// TestAReasonForgesNothing: it is one short line of its one header, whatever a handler has made of it.
func TestAReasonForgesNothing(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	responder(t, srv, func(c *ncl.ResponderConfig) {
		c.Handler = ncl.RequestFunc(func(_ context.Context, _ string, m *envelope.Message) (*envelope.Message, error) {
			return nil, &ncl.RefusedError{Reason: m.Payload.(*Note).Text}
		})
	})
	nc := srv.Connect(t)
	for _, text := range []string{"", "one\r\nOc-Stream: two\r\n\r\nbody", "\r\n\r\n", strings.Repeat("ä", 10_000)} {
		frame, err := codec().Encode(&envelope.Message{Payload: Note{Text: text}})
		if err != nil {
			t.Fatal(err)
		}
		m, err := nc.RequestWithContext(patient(t), "ctrl.a", frame)
		if err != nil || len(m.Header) != 1 || len(m.Data) != 0 || m.Header.Get("Oc-Error") != ncl.Reason(text) {
			t.Errorf("%.20q: header %.2000q, body %q, %v", text, m.Header, m.Data, err)
		}
	}
}

// TestWhatTheOtherSideSaysIsBounded, be it no program of ours.
func TestWhatTheOtherSideSaysIsBounded(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	nc := srv.Connect(t)
	_, err := nc.Subscribe("ctrl.a", func(m *nats.Msg) {
		answer := nats.NewMsg(m.Reply)
		answer.Header.Set("Oc-Error", strings.Repeat("ä", 200_000))
		if err := m.RespondMsg(answer); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	err = asker(t, srv).ask(patient(t), 1)
	refused, is := errors.AsType[*ncl.RefusedError](err)
	if !is || len(refused.Reason) > ncl.MaxReason || !utf8.ValidString(refused.Reason) {
		t.Errorf("refused with %.40q…", err)
	}
}
