package offer

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"oc-scheduler/store/planner"
)

// compose writes the planner and reads it, so that what is known of it is what is stored.
func (c *composer) compose(peerID string, at time.Time) (*Composition, error) {
	b := make([]byte, 0, c.bytes+room/4)
	b = append(b, `{"peer_id":`...)
	b = appendText(b, peerID)
	b = append(b, `,"generated_at":"`...)
	b = append(at.UTC().AppendFormat(b, time.RFC3339Nano), '"')
	c.spare = MaxBytes - room - c.bytes
	b = append(c.document(append(b, ',')), '}')
	p, err := DecodePlanner(b, nil)
	if err != nil {
		return nil, err
	}
	warnings := c.warnings(peerID)
	p.Warn(warnings...)
	out := &Composition{JSON: appendWarnings(b, warnings), Planner: p, Nodes: c.nodes, Hidden: c.hidden}
	for _, l := range c.leftOut {
		out.LeftOut = append(out.LeftOut, l.node)
	}
	return out, nil
}

// document appends capacities and schedule, in the order of the ids.
func (c *composer) document(b []byte) []byte {
	ids := slices.Sorted(maps.Keys(c.resources))
	b = append(b, `"capacities":{`...)
	for _, id := range ids {
		u := c.resources[id]
		slices.SortFunc(u.instances, func(a, b counting) int { return cmp.Compare(a.id, b.id) })
		b = append(appendText(comma(b), id), ':', '{')
		for _, i := range u.instances {
			b = append(appendText(comma(b), i.id), ':')
			b = append(b, i.amounts...)
		}
		b = append(b, '}')
	}
	b = append(b, `},"schedule":{`...)
	for _, id := range ids {
		if u := c.resources[id]; u.booked() {
			b = append(appendText(comma(b), id), ':', '[')
			b = append(c.appendSlots(b, u), ']')
		}
	}
	return append(b, '}')
}

func (u *union) booked() bool {
	return slices.ContainsFunc(u.instances, func(i counting) bool { return i.slots != "" || len(i.ours)+len(i.wide) > 0 })
}

// appendSlots appends what is booked. What one node has booked on all of the resource needs no instance named
// while the whole resource is that node's. Bookings of ours are there as far as there is room: no node, and nothing
// that counts, is left out for them.
func (c *composer) appendSlots(b []byte, u *union) []byte {
	for _, i := range u.instances {
		if i.slots != "" {
			b = append(comma(b), i.slots...)
		}
		for _, s := range i.ours {
			if c.spare -= len(s) + len(`,`); c.spare < 0 {
				c.spare, c.hidden = 0, c.hidden+1
				continue
			}
			b = append(comma(b), s...)
		}
		if len(u.of) > 1 {
			for _, members := range i.wide {
				b = appendSlot(b, i.id, members)
			}
		}
	}
	if len(u.of) == 1 {
		for _, members := range u.of[0].wide {
			b = append(comma(b), '{')
			b = append(append(b, members...), '}')
		}
	}
	return b
}

// bytes is how many an instance takes, at most, without what is booked on all of its resource, and bookings of ours.
func (i *instance) bytes() int {
	return quoted(i.id) + len(`:,`) + len(i.amounts) + len(i.slots) + len(`,`)
}

// wideBytes is how many what is booked on all of a resource takes, at most, written once for each of some
// instances, whose names take so many bytes together.
func (r *resource) wideBytes(instances, names int) (n int) {
	for _, members := range r.wide {
		n += names + instances*(len(`{"instance_id":,},`)+len(members))
	}
	return n
}

// AppendText appends what the offer says, as a document that Decode reads.
func (o *Offer) AppendText(b []byte) ([]byte, error) {
	c := composer{resources: map[string]*union{}, nodes: make(map[planner.Ref]string, o.instances), spare: math.MaxInt}
	for n := range o.resources {
		c.join("", &o.resources[n])
	}
	return append(c.document(append(b, '{')), '}'), nil
}

// appendWarnings adds them to a planner's document.
func appendWarnings(b []byte, warnings []string) []byte {
	if len(warnings) == 0 {
		return b
	}
	b = append(b[:len(b)-1], `,"warnings":[`...)
	for _, w := range warnings {
		b = appendText(comma(b), strings.ToValidUTF8(w, "\uFFFD"))
	}
	return append(b, ']', '}')
}
