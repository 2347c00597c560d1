package planners

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/kv"
)

// The four fields that a stored planner has besides what the peer said.
const (
	firstSeenField = "first_seen_at"
	receivedField  = "received_at"
	expiresField   = "expires_at"
	seqField       = "source_seq"

	lifeBytes = 512 // more than they take
)

const jsonSpace = " \t\r\n"

// withoutLife returns the JSON object raw without its closing brace and without the four fields, in
// case the peer sent them. All other bytes stay as they are.
func withoutLife(raw []byte) ([]byte, error) {
	if !mayHaveLife(raw) {
		raw = bytes.TrimRight(raw, jsonSpace)
		body, isObject := bytes.CutSuffix(raw, []byte("}"))
		if !isObject {
			return nil, fmt.Errorf("%w: not a JSON object", kv.ErrUndecodable)
		}
		return bytes.TrimRight(body, jsonSpace), nil
	}
	body, err := dropLife(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", kv.ErrUndecodable, err)
	}
	return body, nil
}

// mayHaveLife is quick to rule the fields out: a name is there as it is, or with an escape.
func mayHaveLife(raw []byte) bool {
	for _, s := range []string{`\`, firstSeenField, receivedField, expiresField, seqField} {
		if bytes.Contains(raw, []byte(s)) {
			return true
		}
	}
	return false
}

func dropLife(raw []byte) ([]byte, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(raw))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, fmt.Errorf("not a JSON object: %w", err)
	}
	body := append(make([]byte, 0, len(raw)+lifeBytes), '{')
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		field := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		switch field {
		case firstSeenField, receivedField, expiresField, seqField:
			continue
		}
		if len(body) > 1 {
			body = append(body, ',')
		}
		if body, err = jsontext.AppendQuote(body, field); err != nil {
			return nil, err
		}
		body = append(append(body, ':'), value...)
	}
	_, err := d.ReadToken() // the closing brace
	return body, err
}

// close appends the four fields and the closing brace to an object without it.
func (l life) close(body []byte) []byte {
	out := append(make([]byte, 0, len(body)+lifeBytes), body...)
	if body[len(body)-1] != '{' {
		out = append(out, ',')
	}
	out = appendTime(out, firstSeenField, l.firstSeen)
	out = appendTime(out, receivedField, l.received)
	out = appendTime(out, expiresField, l.expires)
	out = append(out, `"`+seqField+`":`...)
	return append(strconv.AppendUint(out, l.seq, 10), '}')
}

func appendTime(out []byte, field string, t time.Time) []byte {
	out = append(out, `"`+field+`":"`...)
	return append(t.UTC().AppendFormat(out, time.RFC3339Nano), `",`...)
}

// WithoutSeq is a stored planner without its place among all that came over the bus, which tells how much else did. It
// stands at the end.
func WithoutSeq(stored []byte) []byte {
	rest, found := bytes.CutSuffix(stored, []byte("}"))
	rest = bytes.TrimRight(rest, "0123456789")
	body, is := bytes.CutSuffix(rest, []byte(`,"`+seqField+`":`))
	if !found || !is {
		return stored
	}
	return append(bytes.Clone(body), '}')
}
