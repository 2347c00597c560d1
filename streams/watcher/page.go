package watcher

// page collects events until it is full.
type page struct {
	limit  int // of events
	bytes  int // of objects, so far
	events []Event
}

// add takes an event. It says no when the page is full without it.
func (p *page) add(e Event) bool {
	if len(p.events) == p.limit || len(p.events) > 0 && p.bytes+len(e.Object) > MaxPageBytes {
		return false
	}
	p.bytes += len(e.Object)
	p.events = append(p.events, e)
	return true
}

// own copies all objects into memory that belongs to the page.
func (p *page) own() {
	buffer := make([]byte, 0, p.bytes)
	for i := range p.events {
		start := len(buffer)
		buffer = append(buffer, p.events[i].Object...)
		p.events[i].Object = buffer[start:len(buffer):len(buffer)]
	}
}
