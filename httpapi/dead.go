package httpapi

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/jet"
	"oc-scheduler/store/kv"
)

// shownBody is how much of a dead letter's body is shown, in bytes.
const shownBody = 64 << 10

// DeadLetters reads what could not be used.
type DeadLetters interface {
	// Before returns letters before a place, 0 for the end, the newest first, and the place to go on before; 0: there
	// is nothing more. It may return fewer than limit.
	Before(ctx context.Context, seq uint64, limit int) (letters []jet.Buried, next uint64, err error)
}

// deadLetter is one as it is shown.
type deadLetter struct {
	Seq     uint64    `json:"seq"`
	At      time.Time `json:"at"`
	Subject string    `json:"subject"`
	Reason  string    `json:"reason"`
	Detail  string    `json:"detail"`
	Bytes   int       `json:"bytes"` // of the body, of which some may be cut
	Body    []byte    `json:"body"`  // in base64
}

// listDead answers with dead letters, the newest first.
func (s *Server) listDead(c echo.Context) error {
	parts, err := s.loaded()
	if err != nil {
		return err
	}
	q := readQuery(c.Request(), "limit", "cursor")
	limit, before := q.limit(), q.place("cursor")
	if err := q.faults.Err(); err != nil {
		return err
	}
	p, err := deadPage(c.Request().Context(), parts.Dead, before, limit)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	return c.JSON(http.StatusOK, p)
}

// deadPage is up to limit letters before a place, fewer where they are large; the error is kv.ErrUnavailable.
func deadPage(ctx context.Context, of DeadLetters, before uint64, limit int) (*page[deadLetter], error) {
	ctx, cancel := context.WithTimeout(ctx, natsWithin)
	defer cancel()
	letters, next, err := of.Before(ctx, before, limit)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", kv.ErrUnavailable, err)
	}
	p := &page[deadLetter]{Items: make([]deadLetter, 0, len(letters))}
	room := pageBytes
	for _, l := range letters {
		if room <= 0 {
			next = p.Items[len(p.Items)-1].Seq
			break
		}
		body := l.Body[:min(len(l.Body), shownBody)]
		room -= base64.StdEncoding.EncodedLen(len(body))
		p.Items = append(p.Items, deadLetter{l.Seq, l.At.UTC(), l.Subject, l.Reason, l.Detail, len(l.Body), append([]byte{}, body...)})
	}
	if next > 0 {
		p.NextCursor = cursorAfter(strconv.FormatUint(next, 10))
	}
	return p, nil
}

// place is a cursor that names a sequence; 0: none is given.
func (q *query) place(name string) uint64 {
	text := q.get(name)
	if text == "" {
		return 0
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	seq, no := strconv.ParseUint(string(raw), 10, 64)
	if err != nil || no != nil || seq == 0 {
		q.fault(name, "must be the next_cursor of an earlier page")
	}
	return seq
}
