package ncl

// future is a PubFuture. Its fields are written once, before done is closed.
type future struct {
	done     chan struct{}
	err      error
	sequence uint64
}

func newFuture() *future { return &future{done: make(chan struct{})} }

func (f *future) resolve(sequence uint64, err error) {
	f.sequence, f.err = sequence, err
	close(f.done)
}

func (f *future) known() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

// Done implements PubFuture.
func (f *future) Done() <-chan struct{} { return f.done }

// Err implements PubFuture.
func (f *future) Err() error {
	if !f.known() {
		return nil
	}
	return f.err
}

// StreamSequence implements PubFuture.
func (f *future) StreamSequence() uint64 {
	if !f.known() {
		return 0
	}
	return f.sequence
}
