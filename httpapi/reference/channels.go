package reference

import (
	"encoding/json"
	"slices"
)

// Channel is an address at which something is told over time.
type Channel struct {
	ID, Address, Title, Text string
	Protocol                 string
	Messages                 []Message
	Closes                   []Close
}

// Message is one of those that are told there.
type Message struct {
	Name, Title, Text string
	Ours              bool // told by a replica; else to one
	Type              []Word
	Example           string // JSON
}

// Close is an end of a stream by its code.
type Close struct {
	Code        int
	Means, Then string
}

// talk is an AsyncAPI document.
type talk struct {
	Servers    map[string]struct{ Protocol string }
	Channels   ordered[channel]
	Operations map[string]struct {
		Action   string
		Messages []reference
	}
	Components struct {
		Messages map[string]message
		Schemas  ordered[schema]
	}
}

type reference struct {
	Ref string `json:"$ref"`
}

type channel struct {
	Address, Title, Description string
	Servers                     []reference
	Messages                    ordered[reference]
	CloseCodes                  []Close `json:"x-close-codes"`
}

type message struct {
	Name, Title, Summary string
	Payload              schema
	Examples             []struct{ Payload json.RawMessage }
}

// channels are all, as they are written.
func (t *talk) channels() (all []Channel) {
	for _, c := range t.Channels {
		shown := Channel{
			ID: c.name, Address: c.value.Address, Title: c.value.Title, Text: c.value.Description, Closes: c.value.CloseCodes,
		}
		for _, s := range c.value.Servers {
			shown.Protocol = protocols[t.Servers[last(s.Ref)].Protocol]
		}
		for _, m := range c.value.Messages {
			shown.Messages = append(shown.Messages, t.message(last(m.value.Ref), "#/channels/"+c.name+"/messages/"+m.name))
		}
		all = append(all, shown)
	}
	return all
}

// protocols by the names that the standard has for them.
var protocols = map[string]string{"ws": "WebSocket", "http": "server-sent events", "nats": "NATS"}

func (t *talk) message(name, at string) Message {
	m := t.Components.Messages[name]
	shown := Message{Name: m.Name, Title: m.Title, Text: m.Summary, Type: m.Payload.words()}
	for _, o := range t.Operations {
		shown.Ours = shown.Ours || o.Action == "send" && slices.Contains(o.Messages, reference{at})
	}
	for _, e := range m.Examples {
		shown.Example = indented(e.Payload)
	}
	return shown
}
