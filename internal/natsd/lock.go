package natsd

import "errors"

var (
	// errLocked: two servers on one directory would destroy each other's data.
	errLocked = errors.New("is in use by another oc-scheduler")
	errEnded  = errors.New("the embedded NATS server has ended")
)

const lockFile = "lock"
