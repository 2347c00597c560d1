package run

import "time"

// Free is a booking that an item does not need any more, before it ends.
type Free struct {
	BookingID string
	ItemID    string
	From      time.Time
}

// free gives back what is not needed any more.
func (t *turn) free() {
	if t.r.State == Scheduled {
		return
	}
	needed := t.needed()
	for j := range t.r.Work.Rooms {
		room := &t.r.Work.Rooms[j]
		switch {
		case room.Freed, !t.now.Before(room.End), needed[room.ItemID], room.Kept && !t.r.State.Final():
			continue
		}
		room.Freed = true
		t.out.Free = append(t.out.Free, Free{room.BookingID, room.ItemID, later(t.now, room.Start)})
	}
}

// needed are the items of which a step makes use, or will.
func (t *turn) needed() map[string]bool {
	items := make(map[string]bool, len(t.r.Work.Rooms))
	for i := range t.r.Steps {
		if t.r.Steps[i].State.Final() && !t.alive(i) {
			continue
		}
		for _, item := range t.r.Work.Tasks[i].Uses {
			items[item] = true
		}
	}
	return items
}
