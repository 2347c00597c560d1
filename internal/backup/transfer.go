package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store/kv"
)

const (
	chunkSize = 512 << 10
	// answerWithin bounds the answer to one request; the last one is answered when all is stored.
	answerWithin = 2 * time.Minute
	// heardWithin bounds how long another server of a cluster may take to learn where pieces are taken.
	heardWithin = 20 * time.Second
	askAgain    = 50 * time.Millisecond
)

// transfer has the server make a stream of a snapshot (nats-server, STREAM.RESTORE): it says where it takes the
// pieces, each is answered, and an empty one ends them.
func transfer(ctx context.Context, js jetstream.JetStream, about snapshotOf, content io.Reader) error {
	request, err := json.Marshal(about)
	if err != nil {
		return err
	}
	name := about.Config.Name
	to, err := ask(ctx, js, jetstream.DefaultAPIPrefix+"STREAM.RESTORE."+name, request)
	if err == nil && to == "" {
		err = jetstream.ErrInvalidJetStreamResponse
	}
	for buffer := make([]byte, chunkSize); err == nil; {
		n, end := io.ReadFull(content, buffer)
		if n > 0 {
			if _, err = ask(ctx, js, to, buffer[:n]); err != nil {
				break
			}
		}
		if errors.Is(end, io.EOF) || errors.Is(end, io.ErrUnexpectedEOF) {
			_, err = ask(ctx, js, to, nil)
			break
		}
		err = end
	}
	if err != nil {
		return fmt.Errorf("stream %s: %w", name, err)
	}
	return nil
}

// ask sends one request of a restoration. to is where the server says that it takes pieces.
func ask(ctx context.Context, js jetstream.JetStream, subject string, data []byte) (to string, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	reply, err := js.Conn().RequestWithContext(ctx, subject, data)
	for since := time.Now(); errors.Is(err, nats.ErrNoResponders) && time.Since(since) < heardWithin; { // nobody has got it
		if err := kv.Sleep(ctx, askAgain); err != nil {
			return "", err
		}
		reply, err = js.Conn().RequestWithContext(ctx, subject, data)
	}
	if err != nil || len(reply.Data) == 0 {
		return "", err
	}
	var answer struct {
		Error   *jetstream.APIError `json:"error"`
		Deliver string              `json:"deliver_subject"`
	}
	if err := json.Unmarshal(reply.Data, &answer); err != nil {
		return "", err
	}
	if answer.Error != nil {
		return "", answer.Error
	}
	return answer.Deliver, nil
}
