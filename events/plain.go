package events

import (
	"unicode/utf8"

	"oc-scheduler/store/plainjson"
)

// plain reads envelopes in which nothing is unusual, such as encoders write. What it takes, readObject
// takes too and understands alike; all else, what is wrong above all, is left to that.
type plain struct{ plainjson.Scanner }

func plainEnvelope(data []byte) (e Envelope, ok bool) {
	var p plain
	ok = p.Document(data, func(name []byte) bool {
		switch string(name) {
		case "from_app":
			return p.text(&e.FromApp)
		case "datatype":
			return p.text(&e.Datatype)
		case "user":
			return p.text(&e.User)
		case "groups":
			return p.texts(&e.Groups)
		case "method":
			return p.text(&e.Method)
		case "payload":
			return p.payload(&e.Payload)
		}
		return false
	})
	return e, ok
}

func plainPropagated(data []byte) (e Propagated, ok bool) {
	var p plain
	ok = p.Document(data, func(name []byte) bool {
		switch string(name) {
		case "action":
			return p.text(&e.Action)
		case "datatype":
			return p.text(&e.Datatype)
		case "payload":
			return p.payload(&e.Payload)
		}
		return false
	})
	return e, ok
}

// plainFirst is the string that begins the object in data under the name given.
func plainFirst(data []byte, name string) (value string, ok bool) {
	var p plain
	p.Reset(data)
	p.Object(func(first []byte) bool {
		ok = string(first) == name && p.text(&value) && utf8.ValidString(value)
		return false // the rest is not looked at
	})
	return value, ok
}

func (p *plain) text(to *string) bool {
	text, ok := p.Text()
	*to = string(text)
	return ok
}

// texts reads an array of strings, or null.
func (p *plain) texts(to *[]string) bool {
	if p.Next() == 'n' {
		return p.Null()
	}
	return p.List(func() bool {
		text, ok := p.Text()
		*to = append(*to, string(text))
		return ok
	})
}

func (p *plain) payload(to *[]byte) (ok bool) {
	*to, ok = p.Base64()
	return ok
}
