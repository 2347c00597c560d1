package ui

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"oc-scheduler/jet"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/kv"
)

// DeadLetters reads what could not be used. It needs NATS.
type DeadLetters interface {
	// Before returns letters before a place, 0 for the end, the newest first, and the place to go on before; 0: there
	// is nothing more.
	Before(ctx context.Context, seq uint64, limit int) (letters []jet.Buried, next uint64, err error)
}

// deadPage is some dead letters.
type deadPage struct {
	Letters []letter
	Next    string // the address of older ones; empty: there are none
}

// letter is one for people.
type letter struct {
	Seq                     uint64
	At                      time.Time
	Subject, Reason, Detail string
	Bytes                   int
	Body                    string // text, or a dump of bytes that are none
	Cut                     bool   // there is more of it
}

// shownBody is how much of a dead letter's body a page shows, in bytes.
const shownBody = 4 << 10

// dead shows what could not be used, why, and when.
func (s *Site) dead(c echo.Context, p *Parts) (View, error) {
	before, err := strconv.ParseUint(c.QueryParam("before"), 10, 64)
	if c.QueryParam("before") != "" && (err != nil || before == 0) {
		return View{}, fault.List{{Path: "before", Message: "must be the place of a dead letter"}}
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	letters, next, err := p.Dead.Before(ctx, before, perPage)
	if err != nil {
		return View{}, errors.Join(kv.ErrUnavailable, err)
	}
	v := deadPage{Letters: make([]letter, len(letters))}
	for i, l := range letters {
		v.Letters[i] = letterOf(l)
	}
	if next > 0 {
		v.Next = "?" + url.Values{"before": {fmt.Sprint(next)}}.Encode()
	}
	return View{Template: "dead.html", Title: "Dead letters", Follow: &Follow{Every: nowAndThen}, Body: v}, nil
}

func letterOf(l jet.Buried) letter {
	shown := letter{
		Seq: l.Seq, At: l.At, Subject: l.Subject, Reason: l.Reason, Detail: l.Detail, Bytes: len(l.Body),
		Cut: len(l.Body) > shownBody,
	}
	body := l.Body[:min(len(l.Body), shownBody)]
	if text := trimRune(body); utf8.Valid(body) || shown.Cut && utf8.Valid(text) {
		lines := strings.Split(string(text), "\n")
		for i := range lines {
			lines[i] = visible(lines[i])
		}
		shown.Body = strings.Join(lines, "\n")
		return shown
	}
	shown.Body = hex.Dump(body)
	return shown
}

// trimRune is text without a character that was cut at its end.
func trimRune(text []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if utf8.RuneStart(text[len(text)-n]) {
			if !utf8.FullRune(text[len(text)-n:]) {
				return text[:len(text)-n]
			}
			break
		}
	}
	return text
}
