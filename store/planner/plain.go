package planner

// plain reads JSON text in which nothing is unusual: UTF-8, no escapes, no signs or exponents, not
// deep, and no object with very many members. Each method passes over one thing, and is false when
// that does not stand next, or is not plain; then nothing that was read counts.
type plain struct {
	text  []byte
	at    int
	names []part // of the members so far of the objects that are open
}

// part is what lies in the text from first to before end.
type part struct{ first, end int }

const (
	maxDepth = 16 // of values that nobody reads
	maxNames = 64 // members of an object: each is compared with those before it
)

func (p *plain) reset(text []byte) { *p = plain{text: text, names: p.names[:0]} }

// next is the byte that follows whitespace, 0 at the end.
func (p *plain) next() byte {
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// take passes over one byte.
func (p *plain) take(c byte) bool {
	taken := p.at < len(p.text) && p.text[p.at] == c || p.next() == c
	if taken {
		p.at++
	}
	return taken
}

// object hands the name of each member to one that must pass over its value.
func (p *plain) object(member func(name []byte) bool) bool {
	if !p.take('{') {
		return false
	}
	around := len(p.names)
	for more := !p.take('}'); more; more = !p.take('}') {
		if len(p.names) > around && !p.take(',') {
			return false
		}
		name, ok := p.quoted()
		if !ok || !p.enter(name, around) || !p.take(':') || !member(name) {
			return false
		}
	}
	p.names = p.names[:around]
	return true
}

// enter notes a name behind those of the objects around, unless it stands there already.
func (p *plain) enter(name []byte, around int) bool {
	for _, n := range p.names[around:] {
		if string(p.text[n.first:n.end]) == string(name) {
			return false
		}
	}
	p.names = append(p.names, part{p.at - 1 - len(name), p.at - 1})
	return len(p.names)-around <= maxNames
}

// list calls element, which must pass over a value, for each one.
func (p *plain) list(element func() bool) bool {
	if !p.take('[') {
		return false
	}
	if p.take(']') {
		return true
	}
	for element() {
		if !p.take(',') {
			return p.take(']')
		}
	}
	return false
}
