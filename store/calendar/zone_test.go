package calendar_test

import (
	"errors"
	"strings"
	"testing"

	"oc-scheduler/store/calendar"
)

func TestZones(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"UTC", "Europe/Paris", "America/Argentina/Buenos_Aires", "Etc/GMT-1", "EST5EDT"} {
		if z := zone(t, name); z.String() != name {
			t.Errorf("%s is %s", name, z)
		}
	}
	for _, name := range []string{"", "Local", "europe/paris", "Europe/PARIS", "utc", "Europe", "Europe/", "/etc/localtime", "../zoneinfo.zip", "CET+1", "+01:00", "Europe/Paris\n", strings.Repeat("x", 1000)} {
		if _, err := calendar.Zone(name); !errors.Is(err, calendar.ErrZone) || len(err.Error()) > 200 {
			t.Errorf("%.20q: %v", name, err)
		}
	}
}

func TestPolicies(t *testing.T) {
	t.Parallel()
	if g, err := calendar.ParseGap(""); g != calendar.Shift || err != nil {
		t.Errorf("%s, %v", g, err)
	}
	if a, err := calendar.ParseAmbiguity(""); a != calendar.First || err != nil {
		t.Errorf("%s, %v", a, err)
	}
	for _, word := range []string{"Shift", "both ", "later"} {
		_, err := calendar.ParseGap(word)
		_, err2 := calendar.ParseAmbiguity(word)
		if !errors.Is(err, calendar.ErrPolicy) || !errors.Is(err2, calendar.ErrPolicy) {
			t.Errorf("%q: %v, %v", word, err, err2)
		}
	}
}
