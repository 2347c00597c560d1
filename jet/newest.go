package jet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Newest is the newest message on a subject, which may have wildcards, that the stream's leader has. Headers
// of the message can't be taken for those of the answer, as in a direct read. It fails with
// jetstream.ErrMsgNotFound when there is none, or as the client does.
func Newest(ctx context.Context, js jetstream.JetStream, stream, subject string) (*jetstream.RawStreamMsg, error) {
	request, err := json.Marshal(map[string]string{"last_by_subj": subject})
	if err != nil {
		return nil, err
	}
	reply, err := Hedged(ctx, func(ctx context.Context) (*nats.Msg, error) {
		return js.Conn().RequestWithContext(ctx, apiPrefix(js.Options())+"STREAM.MSG.GET."+stream, request)
	})
	if err != nil {
		return nil, err
	}
	return message(reply.Data)
}

// End is the sequence of what Newest finds; 0: nothing stands on the subject.
func End(ctx context.Context, js jetstream.JetStream, stream, subject string) (uint64, error) {
	m, err := Newest(ctx, js, stream, subject)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return 0, nil
	case err != nil:
		return 0, err
	}
	return m.Sequence, nil
}

// message reads the answer to STREAM.MSG.GET (nats-server, JSApiMsgGetResponse).
func message(data []byte) (*jetstream.RawStreamMsg, error) {
	var reply struct {
		Error   *jetstream.APIError `json:"error"`
		Message *struct {
			Subject  string    `json:"subject"`
			Sequence uint64    `json:"seq"`
			Header   []byte    `json:"hdrs"`
			Data     []byte    `json:"data"`
			Time     time.Time `json:"time"`
		} `json:"message"`
	}
	if err := json.Unmarshal(data, &reply); err != nil {
		return nil, fmt.Errorf("answer of the stream's leader: %w", err)
	}
	if reply.Error != nil {
		return nil, reply.Error
	}
	if reply.Message == nil {
		return nil, jetstream.ErrInvalidJetStreamResponse
	}
	m := &jetstream.RawStreamMsg{
		Subject: reply.Message.Subject, Sequence: reply.Message.Sequence, Data: reply.Message.Data, Time: reply.Message.Time,
	}
	if len(reply.Message.Header) == 0 {
		return m, nil
	}
	var err error
	if m.Header, err = nats.DecodeHeadersMsg(reply.Message.Header); err != nil {
		return nil, fmt.Errorf("answer of the stream's leader: %w", err)
	}
	return m, nil
}
