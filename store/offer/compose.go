package offer

import (
	"maps"
	"slices"
	"time"
	"unique"

	"oc-scheduler/store/planner"
)

// Composition is the planner that the nodes of a peer make together.
type Composition struct {
	JSON    []byte // the planner's document, with warnings where there are any
	Planner *planner.Planner
	// Nodes are those whose instances these are.
	Nodes map[planner.Ref]string
	// LeftOut are the nodes whose offers do not fit, in order of their ids.
	LeftOut []string
	// Hidden is how many slots of our own bookings are not shown, for lack of room.
	Hidden int
}

// DecodePlanner reads a planner that was composed: see planner.DecodeComposed.
func DecodePlanner(data []byte, extra func(name, value []byte)) (*planner.Planner, error) {
	return planner.DecodeComposed(data, extra, ours)
}

// Compose makes the planner of a peer, generated at a time, of what its nodes offer, by node. The error is a
// fault.List: no planner can be of that peer or time.
func Compose(peerID string, at time.Time, offers map[string]*Offer) (*Composition, error) {
	return collect(offers).compose(peerID, at)
}

// Assign says which node an instance is to be asked of, as Compose does.
func Assign(offers map[string]*Offer) map[planner.Ref]string { return collect(offers).nodes }

func collect(offers map[string]*Offer) *composer {
	c := &composer{
		resources:  map[string]*union{},
		nodes:      map[planner.Ref]string{},
		twice:      map[planner.Ref]*double{},
		dimensions: map[unique.Handle[string]]struct{}{},
	}
	for _, node := range slices.Sorted(maps.Keys(offers)) {
		c.add(node, offers[node])
	}
	return c
}

// composer collects what counts, node by node.
type composer struct {
	resources map[string]*union
	nodes     map[planner.Ref]string
	twice     map[planner.Ref]*double
	leftOut   []leftOut
	ignored   []string // bookings that count nowhere

	dimensions map[unique.Handle[string]]struct{}
	bytes      int // that have to be written, at most, without bookings of ours
	steps      int
	spare      int // bytes that bookings of ours may take yet
	hidden     int // slots of theirs for which there were none
}

// union is what the nodes have of one resource.
type union struct {
	instances []counting
	of        []*resource // those of nodes that have instances here
	spread    int         // bytes more, once the whole resource is not one node's
}

// counting is an instance with what its node has booked on all of the resource.
type counting struct {
	*instance
	wide []string
}

// room for what is neither capacities nor schedule, warnings above all.
const room = 64 << 10

// add takes in what a node offers and no node before it does, if there is room.
func (c *composer) add(node string, o *Offer) {
	bytes, taken := c.weigh(o)
	if why := c.full(bytes, o); why != "" {
		c.leftOut = append(c.leftOut, leftOut{node, why})
		return
	}
	c.bytes, c.steps = c.bytes+bytes, c.steps+o.steps
	for _, d := range o.dimensions {
		c.dimensions[d] = struct{}{}
	}
	for _, ref := range taken {
		c.double(ref, node)
	}
	for _, line := range o.warnings {
		c.ignored = append(c.ignored, ofNode(node)+line)
	}
	for n := range o.resources {
		c.join(node, &o.resources[n])
	}
}

// join takes the instances of a resource in that no node before has.
func (c *composer) join(node string, r *resource) {
	u := c.resources[r.id]
	if u == nil {
		u = &union{}
		c.resources[r.id] = u
	}
	before, own := len(u.instances), 0
	for n := range r.instances {
		ref := planner.Ref{ResourceID: r.id, InstanceID: r.instances[n].id}
		if _, offered := c.nodes[ref]; !offered {
			c.nodes[ref] = node
			u.instances = append(u.instances, counting{&r.instances[n], r.wide})
			own += quoted(ref.InstanceID)
		}
	}
	if added := len(u.instances) - before; added > 0 {
		if u.of = append(u.of, r); len(u.of) == 1 {
			u.spread = r.wideBytes(added, own)
		}
	}
}

// weigh is how many bytes more have to be written for what a node offers, at most, and which of its instances
// another one has.
func (c *composer) weigh(o *Offer) (bytes int, taken []planner.Ref) {
	for n := range o.resources {
		r := &o.resources[n]
		bytes += 2 * (quoted(r.id) + len(`:{},`))
		had := len(taken)
		own := 0
		for m := range r.instances {
			ref := planner.Ref{ResourceID: r.id, InstanceID: r.instances[m].id}
			if _, offered := c.nodes[ref]; offered {
				taken = append(taken, ref)
				continue
			}
			bytes += r.instances[m].bytes()
			own += quoted(ref.InstanceID)
		}
		switch u, instances := c.resources[r.id], len(r.instances)-(len(taken)-had); {
		case instances == 0:
		case u == nil || len(u.of) == 0:
			bytes += r.wideBytes(1, 0)
		case len(u.of) == 1:
			bytes += u.spread + r.wideBytes(instances, own)
		default:
			bytes += r.wideBytes(instances, own)
		}
	}
	return bytes, taken
}

// full says what there would be too much of; empty: nothing.
func (c *composer) full(bytes int, o *Offer) string {
	if c.bytes+bytes > MaxBytes-room {
		return "bytes"
	}
	if c.steps+o.steps > planner.MaxSteps {
		return "slots"
	}
	more := 0
	for _, d := range o.dimensions {
		if _, known := c.dimensions[d]; !known {
			more++
		}
	}
	if len(c.dimensions)+more > planner.MaxDimensions {
		return "dimensions"
	}
	return ""
}
