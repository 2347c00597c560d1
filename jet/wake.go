package jet

// Wake tells one who waits that there is something to look at: a signal that is up or not, however often it is
// given. Who receives from it takes it down, and looks at all there is.
type Wake chan struct{}

// NewWake makes a signal that is not up.
func NewWake() Wake { return make(Wake, 1) }

// Up gives the signal; it does not block.
func (w Wake) Up() {
	select {
	case w <- struct{}{}:
	default:
	}
}
