package jet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// lookWithin bounds one look at whether a stream takes writes.
const lookWithin = 2 * time.Second

// nothing is to remove a message that no stream will ever have.
const nothing = `{"seq":4611686018427387904,"no_erase":true}`

// Answers to that of a stream that takes writes (nats-server, store.go).
var nothingThere = []string{"stream store EOF", "no message found"}

// brokenBy are the reasons for which a server shuts a stream, in the operating system's words.
var brokenBy = []syscall.Errno{
	syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EROFS, syscall.EFBIG, syscall.EMFILE, syscall.ENFILE, syscall.ESTALE,
}

// removeNothing asks a stream for a change that changes nothing: one that is shut refuses it with the error
// of the write that failed, before it looks for the message. told says whether the answer is about that; an
// answer of unknown meaning is no reason to call a stream dead.
func removeNothing(ctx context.Context, nc *nats.Conn, stream string) (told bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	m, err := nc.RequestWithContext(ctx, "$JS.API.STREAM.MSG.DELETE."+stream, []byte(nothing))
	if err != nil {
		return false, err
	}
	var answer struct {
		Error *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(m.Data, &answer); err != nil || answer.Error == nil {
		return false, err
	}
	switch said := answer.Error; {
	case errors.Is(said, errSealed):
		return true, said
	case errors.Is(said, errNoSequence):
		return true, nil
	case errors.Is(said, errNotRemoved):
		return meaning(said)
	}
	return false, answer.Error
}

// meaning reads the error of the store, which the server passes on as text alone.
func meaning(said *jetstream.APIError) (told bool, err error) {
	if slices.Contains(nothingThere, said.Description) {
		return true, nil
	}
	for _, reason := range brokenBy {
		if strings.Contains(said.Description, reason.Error()) {
			return true, &shutError{reason, said}
		}
	}
	return false, said
}

// shutError is of a stream that its server writes to no more.
type shutError struct {
	reason syscall.Errno
	said   *jetstream.APIError
}

func (e *shutError) Error() string {
	return fmt.Sprintf("its NATS server has shut it after a write that failed (%v), and what is sent to it is lost; mend that and restart the server", e.reason)
}

func (e *shutError) Unwrap() error { return e.said }
