package doctor

import (
	"fmt"
	"slices"

	"oc-scheduler/events"
	"oc-scheduler/internal/natsd"
)

// version is that of a NATS server: major, minor, patch.
type version [3]int

var (
	markers   = version{2, 11, 2} // TTL of single keys, with markers that tell of their end
	batches   = version{2, 14, 0} // atomic batches
	schedules = version{2, 15, 0} // message schedules, as they were tried
)

func parseVersion(s string) (v version, err error) {
	_, err = fmt.Sscanf(s, "%d.%d.%d", &v[0], &v[1], &v[2])
	return v, err
}

func (v version) before(o version) bool { return slices.Compare(v[:], o[:]) < 0 }

func (v version) String() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }

func (e *exam) version(server, text string) {
	const mend = "update nats-server to 2.15 or newer"
	v, err := parseVersion(text)
	server = shown(server)
	switch {
	case err != nil:
		e.unknown(fmt.Sprintf("%s: version %q cannot be read", server, text), mend)
	case v.before(markers):
		e.fail(fmt.Sprintf("%s: nats-server %v does not tell when a key's TTL ends, which needs %v", server, v, markers), mend)
	case v.before(batches):
		e.warn(fmt.Sprintf("%s: nats-server %v; atomic batches need %v, message schedules %v", server, v, batches, schedules), mend)
	case v.before(schedules):
		e.warn(fmt.Sprintf("%s: nats-server %v; message schedules need %v", server, v, schedules), mend)
	default:
		e.ok("%s: nats-server %s", server, text)
	}
}

func (e *exam) payload(server string, bytes int64) {
	const mend = "`max_payload: 9MB` in nats.conf of every server, then nats-server --signal reload"
	server = shown(server)
	switch {
	case bytes < events.MaxMessageSize:
		e.fail(fmt.Sprintf("%s: max_payload is %d bytes; larger planners can't be published or stored", server, bytes), mend)
	case bytes < natsd.MaxPayload:
		e.warn(fmt.Sprintf("%s: max_payload is %d bytes; the largest dead letters lose their bodies", server, bytes), mend)
	default:
		e.ok("%s: max_payload is %d bytes", server, bytes)
	}
}
