package ncl

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func TestAcknowledgements(t *testing.T) {
	t.Parallel()
	invalid := jetstream.ErrInvalidJSAck
	full := &jetstream.APIError{ErrorCode: 10077}
	for data, tc := range map[string]struct {
		sequence uint64
		err      error
	}{
		`{"stream":"S","seq":1}`:                    {1, nil},
		`{"stream":"S","seq":18446744073709551615}`: {18446744073709551615, nil},
		`{"stream":"S","domain":"D","seq":7}`:       {7, nil},
		`{"stream":"S","seq":7,"duplicate":true}`:   {7, nil},
		`{ "seq" : 7 , "stream":"S" }`:              {7, nil},
		`{"stream":"S","seq":0}`:                    {0, invalid},
		`{"stream":"S"}`:                            {0, invalid},
		`{"seq":7}`:                                 {0, invalid},
		`{"stream":"S","seq":-7}`:                   {0, invalid},
		`{"stream":"S","seq":7`:                     {0, invalid},
		`{"stream":"S","seq":18446744073709551616}`: {0, invalid},
		`hello`: {0, invalid},
		``:      {0, invalid},
		`{"error":{"code":503,"err_code":10077,"description":"maximum bytes exceeded"},"stream":"S","seq":0}`: {0, full},
	} {
		sequence, err := parseAck(&nats.Msg{Data: []byte(data)})
		if sequence != tc.sequence || !errors.Is(err, tc.err) {
			t.Errorf("%s: %d, %v", data, sequence, err)
		}
	}
	if _, err := parseAck(&nats.Msg{Header: nats.Header{"Status": {"503"}}}); !errors.Is(err, ErrNoResponders) {
		t.Errorf("nobody there: %v", err)
	}
}

// FuzzPlainAck holds that the short way reads what is JSON as encoding/json does.
func FuzzPlainAck(f *testing.F) {
	f.Add([]byte(`{"stream":"S","seq":1}`))
	f.Add([]byte(`{"stream":"S","seq":01}`))
	f.Add([]byte(`{"stream":"\","seq":1}`))
	f.Add([]byte("{\"stream\":\"\n\",\"seq\":1}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		sequence, ok := plainAck(data)
		if !ok {
			return
		}
		var ack jetstream.PubAck
		if err := json.Unmarshal(data, &ack); err == nil && ack.Sequence != sequence {
			t.Errorf("%q: %d; encoding/json: %+v", data, sequence, ack)
		}
	})
}
