package app_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// dashboard is what Grafana is told.
type dashboard struct {
	UID, Title string
	Panels     []panel
}

type panel struct {
	ID      int
	Type    string
	Title   string
	GridPos struct{ X, Y, W, H int }
	Targets []target
}

type target struct{ RefID, Expr, LegendFormat string }

func shippedDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	if err := json.Unmarshal([]byte(read(t, "../../deploy/dashboard.json")), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

var legendLabel = regexp.MustCompile(`\{\{(\w+)\}\}`)

// TestDashboard holds that panels have a place of their own, and that legends name labels that the answers have.
func TestDashboard(t *testing.T) {
	t.Parallel()
	d := shippedDashboard(t)
	taken, ids := map[[2]int]string{}, map[int]bool{}
	for _, p := range d.Panels {
		if ids[p.ID] || p.Title == "" || len(p.Targets) == 0 || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("%+v", p)
		}
		ids[p.ID] = true
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				cell := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				if other, is := taken[cell]; is {
					t.Errorf("%q lies on %q", p.Title, other)
				}
				taken[cell] = p.Title
			}
		}
		for _, target := range p.Targets {
			for _, label := range legendLabel.FindAllStringSubmatch(target.LegendFormat, -1) {
				if !strings.Contains(target.Expr, "by ("+label[1]+")") && !strings.Contains(target.Expr, "on ("+label[1]+")") {
					t.Errorf("%q: %s has no %s", p.Title, target.Expr, label[1])
				}
			}
		}
	}
	if d.UID == "" || d.Title == "" || len(d.Panels) < 20 {
		t.Errorf("%s %s: %d panels", d.UID, d.Title, len(d.Panels))
	}
}
