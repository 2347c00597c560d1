package httpapi

import (
	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/strictjson"
)

// maxReason is the longest reason of a cancellation, in bytes: each list of executions shows it.
const maxReason = 1 << 10

// decodeReason reads the body of a cancellation, which may be empty. The error wraps strictjson.ErrNotJSON,
// or is a fault.List.
func decodeReason(body []byte) (reason string, err error) {
	if len(body) == 0 {
		return "", nil
	}
	var r strictjson.Reader
	err = r.Document(body, func(name []byte, value jsontext.Value) {
		if string(name) != "reason" {
			r.Unknown(fault.Root, name)
			return
		}
		if reason, _ = r.Text("$.reason", value); len(reason) > maxReason {
			r.Faults.Add("$.reason", "may have %d bytes", maxReason)
		}
	})
	if err == nil {
		err = r.Faults.Err()
	}
	return reason, err
}
