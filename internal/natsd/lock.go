package natsd

import "errors"

// errLocked: two servers on one directory would destroy each other's data.
var errLocked = errors.New("in use by another oc-scheduler")

const lockFile = "lock"
