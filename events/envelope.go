package events

import "encoding/json"

// Envelope is what every message of the bus is wrapped in.
type Envelope struct {
	FromApp  string   `json:"from_app"`
	Datatype string   `json:"datatype"` // upper-case name, read without regard to case
	User     string   `json:"user"`
	Groups   []string `json:"groups"`
	Method   string   `json:"method"`
	Payload  []byte   `json:"payload"` // JSON; base64 on the wire
}

// Propagated is the payload of PROPALGATION_EVENT.
type Propagated struct {
	Action   string `json:"action"`
	Datatype string `json:"datatype"` // says nothing
	Payload  []byte `json:"payload"`  // JSON; base64 on the wire
}

// Encode writes the envelope as it goes onto the bus.
func (e Envelope) Encode() ([]byte, error) {
	if e.Groups == nil {
		e.Groups = []string{}
	}
	return json.Marshal(e)
}

// Encode writes the payload of a PROPALGATION_EVENT.
func (p Propagated) Encode() ([]byte, error) { return json.Marshal(p) }

// DecodeEnvelope reads an envelope. The payload is accepted as base64 of JSON and as plain JSON; it
// may share memory with data. Unknown members are ignored, and so are the others when they have
// another type than ours, but for from_app. It fails for what is no JSON object and for a from_app
// that is no string.
func DecodeEnvelope(data []byte) (Envelope, error) {
	if e, ok := plainEnvelope(data); ok {
		return e, nil
	}
	return anyEnvelope(data)
}

func anyEnvelope(data []byte) (Envelope, error) {
	var e Envelope
	err := readObject(data, func(o object, name string) (err error) {
		switch name {
		case "from_app":
			e.FromApp, err = o.text(name)
		case "datatype":
			e.Datatype, err = o.lenientText()
		case "user":
			e.User, err = o.lenientText()
		case "groups":
			e.Groups, err = o.texts()
		case "method":
			e.Method, err = o.lenientText()
		case "payload":
			e.Payload, err = o.payload()
		default:
			err = o.SkipValue()
		}
		return err
	})
	return e, err
}

// DecodePropagated reads the payload of a PROPALGATION_EVENT, as DecodeEnvelope reads an envelope.
func DecodePropagated(data []byte) (Propagated, error) {
	if p, ok := plainPropagated(data); ok {
		return p, nil
	}
	return anyPropagated(data)
}

func anyPropagated(data []byte) (Propagated, error) {
	var p Propagated
	err := readObject(data, func(o object, name string) (err error) {
		switch name {
		case "action":
			p.Action, err = o.text(name)
		case "datatype":
			p.Datatype, err = o.lenientText()
		case "payload":
			p.Payload, err = o.payload()
		default:
			err = o.SkipValue()
		}
		return err
	})
	return p, err
}
