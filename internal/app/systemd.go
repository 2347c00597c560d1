package app

import (
	"context"

	"github.com/coreos/go-systemd/v22/daemon"
)

// tellManager tells the service manager that has started this process, if it wants to know (systemd, Type=notify).
func (r *Replica) tellManager(ctx context.Context, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		r.log.WarnContext(ctx, "the service manager does not hear", "state", state, "error", err)
	}
}
