package check

import (
	"time"

	"oc-scheduler/store/booking"
)

// ask puts a new request in force: its first frame is due whatever was sent before.
func (st *Stream) ask(r *booking.Request) {
	st.request, st.asked, st.sent = r, st.service.now(), ""
	switch {
	case st.clock != nil:
		st.clock.Reset(reevaluate)
	case r.Moves():
		st.clock = time.AfterFunc(reevaluate, func() { st.tell(minutePassed) })
	}
}

// move gives a request whose window moves with time its meaning of now.
func (st *Stream) move() {
	if st.request.Moves() {
		st.asked = st.service.now()
		st.clock.Reset(reevaluate)
	}
}
