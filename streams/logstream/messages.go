package logstream

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/nats-io/nats.go"

	"oc-scheduler/streams/envelope"
)

// Headers of NATS messages: what a side must be able to tell of a message whose version it does not speak.
const (
	streamHeader = "Oc-Stream" // the stream that a message to the node belongs to
	errorHeader  = "Oc-Error"  // why a message could not be understood; the answer has no body
)

// openRequest is a Request on its way to the node, which ignores it when the stream is open.
type openRequest struct {
	Request
	Allowed uint64 `json:"allowed"` // see credit
}

// credit says that the reader lives, and how much the node may send since the stream was opened: the
// sum of what its chunks cost. It only grows, so that a lost one is made up for by the next.
type credit struct {
	Allowed uint64 `json:"allowed"`
}

// closing says that the reader has ended.
type closing struct{}

// alive says that the node lives and serves the stream; Header.Sequence is that of the last chunk.
type alive struct{}

// ending is the last message of a stream.
type ending struct {
	Code   code   `json:"code"`
	Detail string `json:"detail,omitempty"`
}

type code string

const (
	codeEnd      code = "end"       // all output was sent
	codeNotFound code = "not_found" // ErrNotFound
	codeBusy     code = "busy"      // too many streams
	codeFailed   code = "failed"    // the server failed
	codeInvalid  code = "invalid"   // the request makes no sense
	codeStopping code = "stopping"  // the node ends its connection; another one may follow
	codeUnknown  code = "unknown"   // no such stream is open (any more)
)

// overhead is what a chunk costs besides its data: it bounds how many small ones are under way.
const overhead = 1 << 10

func cost(c Chunk) uint64 { return uint64(len(c.Data)) + overhead }

// maxFrame is far above a chunk of MaxChunk bytes in base64 with its headers.
const maxFrame = 2*MaxChunk + 4<<10

func newCodec() (envelope.Codec, error) {
	r := envelope.NewRegistry()
	err := errors.Join(
		r.Register("LogOpen", openRequest{}), r.Register("LogCredit", credit{}), r.Register("LogClose", closing{}),
		r.Register("LogAlive", alive{}), r.Register("LogChunk", Chunk{}), r.Register("LogEnd", ending{}),
	)
	return envelope.Codec{Serializer: envelope.Serializer{MaxBytes: maxFrame}, Registry: r}, err
}

var streamName = regexp.MustCompile(`^[A-Za-z0-9]{8,64}$`)

// streamOf is the stream that a message to the node belongs to. A name that is none would be a subject
// that the reader chose.
func streamOf(m *nats.Msg) (string, error) {
	name := m.Header.Get(streamHeader)
	if !streamName.MatchString(name) {
		return "", fmt.Errorf("a message without a valid %s header", streamHeader)
	}
	return name, nil
}
