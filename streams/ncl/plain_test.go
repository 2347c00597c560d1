package ncl_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
)

// echo answers a note with the same; some of them not.
func echo(_ context.Context, _ string, m *envelope.Message) (*envelope.Message, error) {
	switch m.Payload.(*Note).Text {
	case "refuse":
		return nil, &ncl.RefusedError{Reason: "not today"}
	case "fail":
		return nil, errors.New("a secret")
	case "panic":
		panic("a secret")
	case "goexit":
		runtime.Goexit()
	case "nothing":
		return nil, nil
	case "spoil":
		return &envelope.Message{Payload: Note{Text: "unwritable"}}, nil
	}
	return &envelope.Message{Payload: m.Payload}, nil
}

func responder(t *testing.T, srv *natstest.Server, change ...func(*ncl.ResponderConfig)) *ncl.Responder {
	t.Helper()
	c := ncl.ResponderConfig{Conn: srv.Connect(t), Subject: "ctrl.*", Queue: "q", Codec: codec(), Handler: ncl.RequestFunc(echo)}
	for _, f := range change {
		f(&c)
	}
	r, err := ncl.NewResponder(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Listen(patient(t)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(patient(t)); err != nil {
			t.Error(err)
		}
	})
	return r
}

func TestRequestsAreAnsweredOrRefused(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	responder(t, srv)
	p := ncl.NewPublisher(srv.Connect(t), codec())
	ask := func(text string) (*envelope.Message, error) {
		return p.Request(patient(t), ncl.PublishRequest{Subject: "ctrl.a", Message: &envelope.Message{Payload: Note{N: 7, Text: text}}})
	}
	if m, err := ask("hello"); err != nil || *m.Payload.(*Note) != (Note{7, "hello"}) {
		t.Errorf("answer %+v, %v", m, err)
	}
	for text, reason := range map[string]string{
		"refuse": "not today", "fail": "internal error", "panic": "internal error", "goexit": "internal error", "spoil": "internal error",
		"unreadable": "internal error", "nothing": "internal error",
	} {
		_, err := ask(text)
		if refused, ok := errors.AsType[*ncl.RefusedError](err); !ok || refused.Reason != reason {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := ask("unwritable"); !ncl.IsPermanent(err) {
		t.Errorf("unwritable: %v", err)
	}
	_, err := p.Request(patient(t), ncl.PublishRequest{Subject: "nobody", Message: note(1)})
	if !errors.Is(err, ncl.ErrNoResponders) {
		t.Errorf("nobody there: %v", err)
	}
}

func TestUnreadableRequestsAreRefused(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	responder(t, srv, func(c *ncl.ResponderConfig) { c.Handler = ncl.ByType{} })
	nc := srv.Connect(t)
	frame := func(change func([]byte)) []byte {
		f, err := codec().Encode(note(1))
		if err != nil {
			t.Fatal(err)
		}
		change(f)
		return f
	}
	for want, data := range map[string][]byte{
		"version 9":                     frame(func(f []byte) { f[0] = 9 }),
		"damaged":                       frame(func(f []byte) { f[len(f)-2] ^= 1 }),
		"no frame":                      {},
		"unknown message type \"Note\"": frame(func([]byte) {}),
	} {
		m, err := nc.RequestWithContext(patient(t), "ctrl.a", data)
		if err != nil || len(m.Data) != 0 || !strings.Contains(m.Header.Get("Oc-Error"), want) {
			t.Errorf("%s: %+v, %v", want, m, err)
		}
	}
}
