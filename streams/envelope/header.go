package envelope

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// A header is written as json.Marshal would, and read as json.Unmarshal would; but in the form that it
// has in nearly all messages, a tenth of the time is enough.

// appendHeader appends h as a JSON object on one line. It fails for a time that has no such form.
func appendHeader(b []byte, h *Header) ([]byte, error) {
	b = appendString(append(b, `{"type":`...), h.Type)
	if h.Source != "" {
		b = appendString(append(b, `,"source":`...), h.Source)
	}
	if h.Sequence > 0 {
		b = strconv.AppendUint(append(b, `,"sequence":`...), h.Sequence, 10)
	}
	if h.Previous > 0 {
		b = strconv.AppendUint(append(b, `,"previous":`...), h.Previous, 10)
	}
	if !h.Time.IsZero() {
		var err error
		if b, err = h.Time.AppendText(append(b, `,"time":"`...)); err != nil {
			return nil, fmt.Errorf("header of %q: %w", h.Type, err)
		}
		b = append(b, '"')
	}
	return append(b, '}'), nil
}

func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if !isPlain(s[i]) {
			quoted, _ := json.Marshal(s) // never fails for a string
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// isPlain says that a byte means itself in a JSON string.
func isPlain(c byte) bool { return c >= ' ' && c <= '~' && c != '"' && c != '\\' }

// readHeader reads what appendHeader wrote, and any other JSON object of the same fields.
func readHeader(data []byte, h *Header) error {
	if h.readPlain(data) {
		return nil
	}
	*h = Header{}
	return json.Unmarshal(data, h)
}

// readPlain reads the form that appendHeader gives to all but odd strings. False, and anything in h: it is another.
func (h *Header) readPlain(data []byte) bool {
	r := plain{rest: data}
	r.expect(`{"type":"`)
	h.Type = string(r.text())
	if r.found(`,"source":"`) {
		h.Source = string(r.text())
	}
	if r.found(`,"sequence":`) {
		h.Sequence = r.number()
	}
	if r.found(`,"previous":`) {
		h.Previous = r.number()
	}
	if r.found(`,"time":"`) && h.Time.UnmarshalText(r.text()) != nil {
		return false
	}
	r.expect("}")
	return !r.odd && len(r.rest) == 0
}

// plain takes a header apart from its front.
type plain struct {
	rest []byte
	odd  bool // it has another form
}

func (r *plain) found(token string) bool {
	rest, found := bytes.CutPrefix(r.rest, []byte(token))
	r.rest = rest
	return found
}

func (r *plain) expect(token string) {
	if !r.found(token) {
		r.odd = true
	}
}

// text reads until the closing quote.
func (r *plain) text() []byte {
	for i, c := range r.rest {
		if c == '"' {
			text := r.rest[:i]
			r.rest = r.rest[i+1:]
			return text
		}
		if !isPlain(c) {
			break
		}
	}
	r.odd = true
	return nil
}

// number reads digits, without leading zeros, of a number that can't exceed 64 bits.
func (r *plain) number() (n uint64) {
	i := 0
	for ; i < len(r.rest) && r.rest[i] >= '0' && r.rest[i] <= '9' && n <= (math.MaxUint64-9)/10; i++ {
		n = 10*n + uint64(r.rest[i]-'0')
	}
	if i == 0 || r.rest[0] == '0' {
		r.odd = true
	}
	r.rest = r.rest[i:]
	return n
}
