package planner

import "bytes"

// quoted returns what a string says.
func (p *plain) quoted() ([]byte, bool) {
	if !p.take('"') {
		return nil, false
	}
	for i, c := range p.text[p.at:] {
		switch {
		case c == '"':
			text := p.text[p.at : p.at+i]
			p.at += i + 1
			return text, true
		case c < ' ' || c == '\\':
			return nil, false
		}
	}
	return nil, false
}

// number returns a decimal as far as it is plain. What else belongs to it can be passed over by nobody.
func (p *plain) number() ([]byte, bool) {
	p.next()
	first := p.at
	whole := p.digits()
	if whole == 0 || whole > 1 && p.text[first] == '0' {
		return nil, false
	}
	if p.at < len(p.text) && p.text[p.at] == '.' {
		p.at++
		if p.digits() == 0 {
			return nil, false
		}
	}
	return p.text[first:p.at], true
}

// digits counts those it passes over.
func (p *plain) digits() int {
	first := p.at
	for p.at < len(p.text) && '0' <= p.text[p.at] && p.text[p.at] <= '9' {
		p.at++
	}
	return p.at - first
}

// value returns any value as it stands in the text.
func (p *plain) value(depth int) (value []byte, ok bool) {
	c := p.next()
	first := p.at
	switch {
	case depth == maxDepth:
	case c == '{':
		ok = p.object(func([]byte) bool { return p.skip(depth + 1) })
	case c == '[':
		ok = p.list(func() bool { return p.skip(depth + 1) })
	case c == '"':
		_, ok = p.quoted()
	case c == 'n':
		ok = p.word("null")
	case c == 't':
		ok = p.word("true")
	case c == 'f':
		ok = p.word("false")
	default:
		_, ok = p.number()
	}
	return p.text[first:p.at], ok
}

func (p *plain) skip(depth int) bool {
	_, ok := p.value(depth)
	return ok
}

func (p *plain) word(w string) bool {
	ok := bytes.HasPrefix(p.text[p.at:], []byte(w))
	if ok {
		p.at += len(w)
	}
	return ok
}
