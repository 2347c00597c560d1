package ui

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store"
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
	ID       string
	Cached   bool
	Days     int
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
	from, days := s.days(c)
	v := peerPage{
		ID: peerID, Days: days,
		Earlier: daysFrom(from.AddDate(0, 0, -days), days), Later: daysFrom(from.AddDate(0, 0, days), days),
	}
	for _, n := range p.Nodes.All() {
		if n.PeerID() == peerID {
			v.Nodes = append(v.Nodes, n)
		}
	}
	slices.SortFunc(v.Nodes, byNodeID)
	stretch := Stretch{from, from.AddDate(0, 0, days)}
	if layers := p.layers(peerID); layers != nil {
		v.Cached, v.Timeline = true, PeerTimeline(stretch, s.Now(), layers)
	}
	return View{Template: "peer.html", Title: visible(peerID), Follow: follow(Of(ThePlanners, peerID), Of(TheBookings, peerID), TheNodes), Body: v}, nil
}

// days is the stretch in the address; what can't be read counts as not given.
func (s *Site) days(c echo.Context) (from time.Time, days int) {
	from, err := time.Parse(time.DateOnly, c.QueryParam("from"))
	if err != nil {
		from = s.Now().UTC().Truncate(24 * time.Hour)
	}
	if days, err = strconv.Atoi(c.QueryParam("days")); err != nil || days < 1 || days > mostDays {
		days = usualDays
	}
	return from, days
}

func daysFrom(from time.Time, days int) string {
	return "?" + url.Values{"from": {from.Format(time.DateOnly)}, "days": {strconv.Itoa(days)}}.Encode()
}
