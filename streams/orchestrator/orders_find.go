package orchestrator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
	"oc-scheduler/store/execution"
	"oc-scheduler/streams/nclprotocol"
)

// errOtherStream says that the stream of orders is another one than an order was looked for in.
var errOtherStream = errors.New("the stream of orders was made anew")

// stands says whether the order of an execution that was sent is in the stream that was made at created. The
// stream's leader is asked: another member may lag behind. It fails with errOtherStream, or with
// kv.ErrUnavailable.
func (o *Orders) stands(ctx context.Context, e execution.Execution, created time.Time) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	stream, err := jet.Stream(ctx, o.js, nclprotocol.InStream)
	switch {
	case err != nil:
		return false, unavailable("stream "+nclprotocol.InStream, err)
	case !stream.CachedInfo().Created.Equal(created):
		return false, errOtherStream
	}
	request, err := json.Marshal(map[string]uint64{"seq": e.SentAs})
	if err != nil {
		return false, err
	}
	reply, err := o.js.Conn().RequestWithContext(ctx, jetstream.DefaultAPIPrefix+"STREAM.MSG.GET."+nclprotocol.InStream, request)
	if err != nil {
		return false, unavailable("order", err)
	}
	var found struct { // nats-server, JSApiMsgGetResponse
		Error   *jetstream.APIError `json:"error"`
		Message struct {
			Subject string `json:"subject"`
			Data    []byte `json:"data"`
		} `json:"message"`
	}
	switch err := json.Unmarshal(reply.Data, &found); {
	case err != nil:
		return false, unavailable("order", err)
	case found.Error != nil && found.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound:
		return false, nil
	case found.Error != nil:
		return false, unavailable("order", fmt.Errorf("%s", found.Error.Description))
	}
	if found.Message.Subject != nclprotocol.InSubject(e.NodeID) {
		return false, nil
	}
	m, err := o.codec.Decode(found.Message.Data)
	if err != nil {
		return false, nil
	}
	order, ok := m.Payload.(*nclprotocol.RunExecution)
	return ok && order.ExecutionID == e.ExecutionID, nil
}
