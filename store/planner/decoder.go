package planner

import (
	"bytes"
	"math"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/plainjson"
)

// decoder collects what a document says, in its order; planner then sorts it into columns.
type decoder struct {
	*jsontext.Decoder
	source     bytes.Buffer
	plain      plainjson.Scanner
	faults     fault.List
	quantities quantityReader
	unquoted   []byte // reused
	decoding

	peerID      string
	generatedAt int64

	ids, dimensions, bookings names
	instances                 []instance
	slots                     []slot
	usage                     []usage

	room struct { // in which columns of a planner grow
		names   []byte
		dims    []uint16
		amounts []Amount
		usage   []uint32
	}
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
	span           // of its usage
	booking uint32 // none: not one of ours
	row     uint32
}

// span is the part of the usage column from first to before last.
type span struct{ first, last uint32 }

// usage is a capacity or a use of the dimension of that number.
type usage struct {
	dimension uint32
	amount    Amount
}

// none stands for the instance or booking that is not named, and for all dimensions of a slot without usage.
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

// read reads a document the short way; when anything is unusual or wrong, again the long way.
func (d *decoder) read(data []byte) {
	if !d.readPlain(data) {
		d.forget()
		d.readAny(data)
	}
}

// readAny reads any document, and finds all that is wrong with it.
func (d *decoder) readAny(data []byte) {
	d.source = *bytes.NewBuffer(data)
	d.Reset(&d.source)
	if err := d.document(); err != nil {
		d.faults.Add(fault.Root, "%s", syntax(err))
	}
}

// forget drops what was read.
func (d *decoder) forget() {
	d.faults, d.peerID, d.generatedAt = nil, "", 0
	d.ids.reset()
	d.dimensions.reset()
	d.bookings.reset()
	d.instances, d.slots, d.usage = d.instances[:0], d.slots[:0], d.usage[:0]
}

// release puts the decoder back, after a document of that size, without anything of it.
func (d *decoder) release(size int) {
	if size > maxPooled {
		return
	}
	d.forget()
	d.decoding = decoding{}
	d.plain.Reset(nil)
	d.source = bytes.Buffer{}
	d.Reset(&d.source)
	decoders.Put(d)
}
