package plainjson

import (
	"bytes"
	"encoding/base64"
)

// Text returns what a string says.
func (s *Scanner) Text() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	for i, c := range s.text[s.at:] {
		switch {
		case c == '"':
			text := s.text[s.at : s.at+i]
			s.at += i + 1
			return text, true
		case c < ' ' || c == '\\':
			return nil, false
		}
	}
	return nil, false
}

// Base64 returns, in memory of its own, the bytes that a string of standard base64 stands for.
func (s *Scanner) Base64() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	n := max(bytes.IndexByte(s.text[s.at:], '"'), 0)
	encoded := s.text[s.at : s.at+n]
	decoded := make([]byte, base64.StdEncoding.DecodedLen(n))
	size, err := base64.StdEncoding.Decode(decoded, encoded)
	s.at += n
	// The decoder passes over line ends, which no JSON string has.
	ok := err == nil && bytes.IndexByte(encoded, '\n') < 0 && bytes.IndexByte(encoded, '\r') < 0 && s.at < len(s.text) && s.text[s.at] == '"'
	s.at++
	return decoded[:size], ok
}

// Number returns a decimal as far as it is plain. What else belongs to it can be passed over by nobody.
func (s *Scanner) Number() ([]byte, bool) {
	s.Next()
	first := s.at
	whole := s.digits()
	if whole == 0 || whole > 1 && s.text[first] == '0' {
		return nil, false
	}
	if s.at < len(s.text) && s.text[s.at] == '.' {
		s.at++
		if s.digits() == 0 {
			return nil, false
		}
	}
	return s.text[first:s.at], true
}

// digits counts those it passes over.
func (s *Scanner) digits() int {
	first := s.at
	for s.at < len(s.text) && '0' <= s.text[s.at] && s.text[s.at] <= '9' {
		s.at++
	}
	return s.at - first
}

// Null passes over null.
func (s *Scanner) Null() bool { return s.Next() == 'n' && s.word("null") }

func (s *Scanner) word(w string) bool {
	ok := bytes.HasPrefix(s.text[s.at:], []byte(w))
	if ok {
		s.at += len(w)
	}
	return ok
}

// Value returns any value as it stands in the text.
func (s *Scanner) Value() ([]byte, bool) { return s.value(0) }

func (s *Scanner) value(depth int) (value []byte, ok bool) {
	c := s.Next()
	first := s.at
	switch {
	case depth == maxDepth:
	case c == '{':
		ok = s.Object(func([]byte) bool { return s.skip(depth + 1) })
	case c == '[':
		ok = s.List(func() bool { return s.skip(depth + 1) })
	case c == '"':
		_, ok = s.Text()
	case c == 'n':
		ok = s.word("null")
	case c == 't':
		ok = s.word("true")
	case c == 'f':
		ok = s.word("false")
	default:
		_, ok = s.Number()
	}
	return s.text[first:s.at], ok
}

func (s *Scanner) skip(depth int) bool {
	_, ok := s.value(depth)
	return ok
}
