package events

import (
	"bytes"
	"encoding/base64"
	"slices"
)

// plain reads one JSON object in which nothing is unusual, such as encoders write envelopes: few
// members, and strings of printable ASCII without escapes. What it takes to the end, readObject takes
// too and understands alike; all else, what is wrong above all, it leaves to that.
type plain struct {
	text []byte
	at   int
	odd  bool // something is unusual: what was read is void
}

// maxPlainNames is how many members an object may have: each name is compared with those before it.
const maxPlainNames = 8

// readPlain calls member with each name of the object in data, to read its value. It returns false when
// anything is unusual.
func readPlain(data []byte, member func(p *plain, name []byte)) bool {
	p := plain{text: data}
	var names [maxPlainNames][]byte
	p.list('{', '}', func(i int) {
		name := p.quoted()
		if i == maxPlainNames || slices.ContainsFunc(names[:i], func(n []byte) bool { return bytes.Equal(n, name) }) {
			p.odd = true
			return
		}
		names[i] = name
		p.need(':')
		member(&p, name)
	})
	return p.next() == 0 && p.at == len(p.text) && !p.odd
}

// plainFirst is the string that begins the object in data under the name given.
func plainFirst(data []byte, name string) (value string, ok bool) {
	p := plain{text: data}
	p.need('{')
	if string(p.quoted()) != name {
		return "", false
	}
	p.need(':')
	value = p.string()
	return value, !p.odd
}

// list calls each for what stands between commas.
func (p *plain) list(opening, closing byte, each func(i int)) {
	p.need(opening)
	if p.take(closing) {
		return
	}
	for i := 0; ; i++ {
		if each(i); p.odd || !p.take(',') {
			break
		}
	}
	p.need(closing)
}

// next is the byte that follows white space, 0 at the end.
func (p *plain) next() byte {
	for ; p.at < len(p.text); p.at++ {
		if c := p.text[p.at]; c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c
		}
	}
	return 0
}

func (p *plain) take(c byte) bool {
	ok := p.next() == c
	if ok {
		p.at++
	}
	return ok
}

func (p *plain) need(c byte) {
	if !p.take(c) {
		p.odd = true
	}
}

// quoted reads what stands between quotation marks; an escaped one is none of those.
func (p *plain) quoted() []byte {
	p.need('"')
	n := bytes.IndexByte(p.text[p.at:], '"')
	if n < 0 {
		p.odd = true
		return nil
	}
	text := p.text[p.at : p.at+n]
	p.at += n + 1
	return text
}

func (p *plain) string() string {
	text := p.quoted()
	for _, c := range text {
		if c < ' ' || c > '~' || c == '\\' {
			p.odd = true
		}
	}
	return string(text)
}

// strings reads an array of strings, or null.
func (p *plain) strings() (list []string) {
	if p.next() == 'n' {
		if p.odd = p.odd || !bytes.HasPrefix(p.text[p.at:], []byte("null")); !p.odd {
			p.at += len("null")
		}
		return nil
	}
	p.list('[', ']', func(int) { list = append(list, p.string()) })
	return list
}

// payload reads a string of base64, whose line ends JSON doesn't have.
func (p *plain) payload() []byte {
	encoded := p.quoted()
	decoded := make([]byte, base64.StdEncoding.DecodedLen(len(encoded)))
	n, err := base64.StdEncoding.Decode(decoded, encoded)
	if err != nil || bytes.IndexByte(encoded, '\n') >= 0 || bytes.IndexByte(encoded, '\r') >= 0 {
		p.odd = true
	}
	return decoded[:n]
}
