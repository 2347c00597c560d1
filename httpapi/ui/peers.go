package ui

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/fault"
)

// peerRow is a peer that is known: its planner is cached, or a workflow or a node names it.
type peerRow struct {
	ID, Href  string
	Cached    bool
	Expires   time.Time
	Resources int
	Slots     int
	Nodes     int
}

// ErrNoPeer says that no peer of a name is known to who asks.
var ErrNoPeer = errors.New("no such peer")

// peers lists all that are known.
func (s *Site) peers(c echo.Context, p *Parts) (View, error) {
	rows := map[string]*peerRow{}
	known := func(peerID string) *peerRow {
		if rows[peerID] == nil {
			rows[peerID] = &peerRow{ID: peerID, Href: address("peers", peerID)}
		}
		return rows[peerID]
	}
	who := s.Subject(c)
	for _, w := range p.Workflows.All() {
		if !who.Sees(w.Groups()) {
			continue
		}
		for _, peer := range w.Peers() {
			known(peer)
		}
	}
	for _, n := range p.Nodes.All() {
		if peer := n.PeerID(); peer != "" {
			known(peer).Nodes++
		}
	}
	for peer, record := range p.Planners.All() {
		if record.Planner == nil {
			continue
		}
		row := known(peer)
		row.Cached, row.Expires = true, record.ExpiresAt
		row.Resources, row.Slots = record.Counts()
	}
	sorted := make([]*peerRow, 0, len(rows))
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		sorted = append(sorted, rows[name])
	}
	return View{Template: "peers.html", Title: "Peers", Follow: follow(TheWorkflows, ThePlanners, TheNodes), Body: sorted}, nil
}

// peerPage is one peer over some days.
type peerPage struct {
	faulty
	ID       string
	From     timeField
	Cached   bool
	Days     string
	Earlier  string // addresses of the days before and after
	Later    string
	Timeline Timeline
	Nodes    []store.NodeRecord
}

const (
	usualDays = 7
	mostDays  = 366
)

// peer shows each instance of a peer over ?days= from ?from=, by default today.
func (s *Site) peer(c echo.Context, p *Parts) (View, error) {
	peerID, err := pathID(c)
	if err != nil {
		return View{}, err
	}
	from, days, faults := s.days(c)
	v := peerPage{
		ID: peerID, Days: strconv.Itoa(days), From: timeField{Value: from.Format(time.DateOnly)},
		Earlier: daysFrom(from.AddDate(0, 0, -days), days), Later: daysFrom(from.AddDate(0, 0, days), days),
	}
	for _, n := range p.Nodes.All() {
		if n.PeerID() == peerID {
			v.Nodes = append(v.Nodes, n)
		}
	}
	slices.SortFunc(v.Nodes, byNodeID)
	layers := p.layers(peerID)
	if layers == nil && len(v.Nodes) == 0 && !p.named(s.Subject(c), peerID) {
		return View{}, ErrNoPeer
	}
	page := View{Template: "peer.html", Title: visible(peerID)}
	if faults != nil {
		v.faulty = faultsAt(faults, "from", "days")
		v.Days = c.QueryParam("days")
		if v.Fault("from") != nil {
			v.From = timeField{c.QueryParam("from"), true}
		}
		page.Status, page.Refused, page.Body = http.StatusUnprocessableEntity, faults, v
		return page, nil
	}
	if layers != nil {
		v.Cached, v.Timeline = true, PeerTimeline(Stretch{from, from.AddDate(0, 0, days)}, s.Now(), layers)
	}
	page.Follow, page.Body = follow(Of(ThePlanners, peerID), Of(TheBookings, peerID), TheNodes), v
	return page, nil
}

// named says whether a workflow that is there for who asks names a peer.
func (p *Parts) named(who *access.Subject, peerID string) bool {
	for _, w := range p.Workflows.All() {
		if who.Sees(w.Groups()) && slices.Contains(w.Peers(), peerID) {
			return true
		}
	}
	return false
}

// days is the stretch in the address, by default some days from today.
func (s *Site) days(c echo.Context) (from time.Time, days int, faults fault.List) {
	from, days = s.Now().UTC().Truncate(24*time.Hour), usualDays
	var err error
	if text := c.QueryParam("from"); text != "" {
		if from, err = time.Parse(time.DateOnly, text); err != nil {
			faults.Add("from", "must be a day like 2026-12-24")
		}
	}
	if text := c.QueryParam("days"); text != "" {
		if days, err = strconv.Atoi(text); err != nil || days < 1 || days > mostDays {
			faults.Add("days", "must be a whole number from 1 to %d", mostDays)
		}
	}
	return from, days, faults
}

func daysFrom(from time.Time, days int) string {
	return "?" + url.Values{"from": {from.Format(time.DateOnly)}, "days": {strconv.Itoa(days)}}.Encode()
}
