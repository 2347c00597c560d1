package planner

import (
	"bytes"
	"math"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/fault"
)

// decoder collects what a document says, in its order; planner then sorts it into columns.
type decoder struct {
	*jsontext.Decoder
	source     bytes.Buffer
	extra      func(name string, value []byte)
	faults     fault.List
	quantities quantityReader
	unquoted   []byte // reused

	peerID      string
	generatedAt int64

	ids, dimensions names
	instances       []instance
	slots           []slot
	usage           []usage
}

// instance is an instance with capacities; one without id stands for its resource.
type instance struct {
	resource, id uint32
	span         // of its capacities
}

// name is the number of the instance's name, or of its resource's.
func (i instance) name() uint32 {
	if i.id == none {
		return i.resource
	}
	return i.id
}

// slot is a booking as it was read; without instance it takes all instances of the resource.
type slot struct {
	resource, id uint32
	Interval
	span // of its usage
	row  uint32
}

// span is the part of the usage column from first to before last.
type span struct{ first, last uint32 }

// usage is a capacity or a use of the dimension of that number.
type usage struct {
	dimension uint32
	amount    Amount
}

// none stands for the instance that is not named, and for all dimensions of a slot without usage.
const none = math.MaxUint32

// decoders are used again, since planners come by the thousand.
var decoders = sync.Pool{New: func() any {
	d := &decoder{Decoder: jsontext.NewDecoder(new(bytes.Buffer))}
	d.quantities = quantityReader{d: d.Decoder, path: fault.Root, faults: &d.faults, add: d.addQuantity}
	return d
}}

// maxPooled is how large a document may be whose decoder is put back, in bytes: a rare large planner
// must not stay in memory for all the small ones.
const maxPooled = 256 << 10

func newDecoder(data []byte, extra func(name string, value []byte)) *decoder {
	d := decoders.Get().(*decoder)
	d.source, d.extra = *bytes.NewBuffer(data), extra
	d.Reset(&d.source)
	return d
}

// release puts the decoder back without anything of the document in it.
func (d *decoder) release() {
	if d.source.Cap() > maxPooled {
		return
	}
	d.source, d.extra, d.faults, d.peerID, d.generatedAt = bytes.Buffer{}, nil, nil, "", 0
	d.Reset(&d.source)
	d.ids.reset()
	d.dimensions.reset()
	d.instances, d.slots, d.usage = d.instances[:0], d.slots[:0], d.usage[:0]
	decoders.Put(d)
}
