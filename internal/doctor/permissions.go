package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"

	"oc-scheduler/events"
	"oc-scheduler/streams/orchestrator"
)

// permissions asks for each subject that a replica publishes on whether it may.
func (e *exam) permissions(ctx context.Context) {
	if v, err := parseVersion(e.nc.ConnectedServerVersion()); err != nil || v.before(markers) {
		e.unknown("this server can't tell without delivering messages", "update nats-server to 2.15 or newer")
		return
	}
	subjects := published()
	denied, err := trace(ctx, e.nc, subjects)
	switch {
	case errors.Is(err, nats.ErrPermissionViolation):
		e.fail("the user may not subscribe to _INBOX.>: no request of a replica is answered", "permit the user to subscribe to _INBOX.>")
	case err != nil:
		e.unknown(fmt.Sprintf("the server does not tell what the user may publish: %v", err), "permit the user to publish on _INBOX.> to have it looked at")
	case len(denied) > 0:
		e.fail(fmt.Sprintf("the user may not publish on %s", some(denied)),
			"permit the user to publish on "+needed)
		e.barred = slices.ContainsFunc(denied, asked)
	default:
		e.ok("the user may publish on all %d subjects that a replica needs", len(subjects))
	}
}

// asked says whether an examination without that subject would but wait for answers.
func asked(subject string) bool {
	for _, request := range []string{"STREAM.INFO.", "STREAM.NAMES", "CONSUMER.INFO.", "DIRECT.GET."} {
		if strings.HasPrefix(subject, "$JS.API."+request) {
			return true
		}
	}
	return false
}

// needed covers all that published lists.
const needed = "PROPALGATION_EVENT, oc.dead.>, oc.compute.*.in.msgs, oc.compute.*.logs, oc.cursor.*, $KV.>, $JS.API.>, $JS.ACK.>, _INBOX.>"

// published lists the subjects of a replica, with a name that nobody has where one is free.
func published() []string {
	const nobody = "oc-scheduler-doctor"
	subjects := []string{events.Propagation, "$JS.API.STREAM.NAMES"}
	for _, subject := range []string{events.Propagation, events.CreateResource, events.RemoveResource} {
		subjects = append(subjects, "oc.dead."+subject)
	}
	subjects = append(subjects, orchestrator.Publishes(nobody)...)
	for _, x := range expectations(1) {
		name := x.Stream.Name
		subjects = append(subjects, "$JS.API.STREAM.INFO."+name, "$JS.API.STREAM.CREATE."+name)
		if x.bucket {
			keys := x.Stream.Subjects[0] // ends with >
			key := keys[:len(keys)-1] + nobody
			subjects = append(subjects, key,
				"$JS.API.CONSUMER.CREATE."+name+"."+nobody+"."+keys, "$JS.API.CONSUMER.DELETE."+name+"."+nobody,
				"$JS.API.CONSUMER.MSG.NEXT."+name+"."+nobody,
				"$JS.API.DIRECT.GET."+name+"."+key, "$JS.API.STREAM.MSG.GET."+name)
		}
		if x.Durable != nil {
			durable := name + "." + x.Durable.Durable
			subjects = append(subjects, "$JS.API.CONSUMER.CREATE."+durable, "$JS.API.CONSUMER.INFO."+durable,
				"$JS.API.CONSUMER.MSG.NEXT."+durable, "$JS.ACK."+durable+"."+nobody)
		}
	}
	return subjects
}
