package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"oc-scheduler/internal/rights"
)

// permissions asks for each right that a replica needs whether the user has it.
func (e *exam) permissions(ctx context.Context) {
	if v, err := parseVersion(e.nc.ConnectedServerVersion()); err != nil || v.before(markers) {
		e.unknown("this server can't tell without delivering messages", "update nats-server to 2.15 or newer")
		return
	}
	lacks, err := rights.Lacking(ctx, e.nc)
	if len(lacks) > 0 {
		e.fail(rights.Words(lacks), mendRights(lacks))
		e.barred = slices.ContainsFunc(lacks, asked)
	}
	switch {
	case err != nil:
		e.unknown(fmt.Sprintf("the server does not tell what the user may publish: %v", err), "permit the user to publish on _INBOX.> to have it looked at")
	case len(lacks) == 0:
		e.ok("the user has all %d rights that a replica needs", len(rights.Needed()))
	}
}

// mendRights lists what covers all rights of the kinds that are lacking.
func mendRights(lacks []rights.Right) string {
	var mend []string
	if slices.ContainsFunc(lacks, func(r rights.Right) bool { return !r.Subscribe }) {
		mend = append(mend, "publish on "+rights.Covering)
	}
	if slices.ContainsFunc(lacks, func(r rights.Right) bool { return r.Subscribe }) {
		mend = append(mend, "subscribe to "+rights.CoveringSubscribe)
	}
	return "permit the user to " + strings.Join(mend, ", and to ")
}

// asked says whether an examination without that right would but wait for answers.
func asked(r rights.Right) bool {
	for _, request := range []string{"STREAM.INFO.", "STREAM.NAMES", "CONSUMER.INFO.", "DIRECT.GET."} {
		if strings.HasPrefix(r.Subject, "$JS.API."+request) {
			return true
		}
	}
	return strings.HasPrefix(r.Subject, "_INBOX.") && r.Subscribe
}
