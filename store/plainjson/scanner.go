package plainjson

import "unicode/utf8"

// Scanner passes over one thing after the other in a JSON text. Each method is false when that does not
// stand next, or is not plain: strings without escapes, no signs or exponents, no great depth, and no
// object with very many members or with two of one name. Then nothing that was read counts. What the
// methods return lies in the text.
type Scanner struct {
	text  []byte
	at    int
	names []part // of the members so far of the objects that are open
}

// part is what lies in the text from first to before end.
type part struct{ first, end int }

const (
	maxDepth = 16 // of values that nobody reads
	maxNames = 64 // members of an object where they do not rise: each is compared with those before it
)

// Document reads an object that is the whole of text, and UTF-8, as Object does.
func (s *Scanner) Document(text []byte, member func(name []byte) bool) bool {
	s.Reset(text)
	return utf8.Valid(text) && s.Object(member) && s.Next() == 0 && s.at == len(s.text)
}

// Reset begins another text, which has to be UTF-8 for what is read to count.
func (s *Scanner) Reset(text []byte) {
	if s.names == nil {
		s.names = make([]part, 0, 8)
	}
	*s = Scanner{text: text, names: s.names[:0]}
}

// Next is the byte that follows white space, 0 at the end. It is not passed over.
func (s *Scanner) Next() byte {
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// take passes over one byte.
func (s *Scanner) take(c byte) bool {
	taken := s.at < len(s.text) && s.text[s.at] == c || s.Next() == c
	if taken {
		s.at++
	}
	return taken
}

// Object hands the name of each member to a function that must pass over its value.
func (s *Scanner) Object(member func(name []byte) bool) bool {
	if !s.take('{') {
		return false
	}
	around, rising := len(s.names), true
	for more := !s.take('}'); more; more = !s.take('}') {
		if len(s.names) > around && !s.take(',') {
			return false
		}
		name, ok := s.Text()
		if !ok || !s.enter(name, around, &rising) || !s.take(':') || !member(name) {
			return false
		}
	}
	s.names = s.names[:around]
	return true
}

// enter notes a name behind those of the objects around, unless it stands there already. While names rise, as
// where a program has sorted them, it is enough to look at the last.
func (s *Scanner) enter(name []byte, around int, rising *bool) bool {
	if last := len(s.names) - 1; last >= around && *rising {
		*rising = string(s.text[s.names[last].first:s.names[last].end]) < string(name)
	}
	if *rising {
		s.names = append(s.names, part{s.at - 1 - len(name), s.at - 1})
		return true
	}
	for _, n := range s.names[around:] {
		if string(s.text[n.first:n.end]) == string(name) {
			return false
		}
	}
	s.names = append(s.names, part{s.at - 1 - len(name), s.at - 1})
	return len(s.names)-around <= maxNames
}

// List calls element, which must pass over a value, for each one.
func (s *Scanner) List(element func() bool) bool {
	if !s.take('[') {
		return false
	}
	if s.take(']') {
		return true
	}
	for element() {
		if !s.take(',') {
			return s.take(']')
		}
	}
	return false
}
