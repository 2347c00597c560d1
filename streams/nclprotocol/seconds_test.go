package nclprotocol_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"oc-scheduler/streams/nclprotocol"
)

func TestSeconds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"15": 15 * time.Second, "0.25": 250 * time.Millisecond, "-1e-3": -time.Millisecond, "1e-10": 0, "0": 0,
	} {
		var s nclprotocol.Seconds
		if err := json.Unmarshal([]byte(text), &s); err != nil || s.Duration() != want {
			t.Errorf("%s is %v, want %v: %v", text, s.Duration(), want, err)
		}
	}
	for _, text := range []string{`1e300`, `-1e300`, `9223372037`, `"15s"`, `[]`} {
		s := nclprotocol.Seconds(7)
		if err := json.Unmarshal([]byte(text), &s); err == nil {
			t.Errorf("%s is %v", text, s.Duration())
		}
	}
	if text, err := json.Marshal(nclprotocol.Seconds(90 * time.Second)); err != nil || string(text) != "90" {
		t.Errorf("90 s is %s: %v", text, err)
	}
}

// What goes out comes in again, and is what a float64 says as far as that can tell.
func TestSecondsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64().Draw(t, "ns"))
		text, err := json.Marshal(nclprotocol.Seconds(d))
		if err != nil {
			t.Fatal(err)
		}
		var back nclprotocol.Seconds
		if err := json.Unmarshal(text, &back); err != nil || back.Duration() != d {
			t.Fatalf("%d ns came back as %d: %v", d, back.Duration(), err)
		}
		var f float64
		if err := json.Unmarshal(text, &f); err != nil || math.Abs(f-d.Seconds()) > math.Abs(f)*1e-15 {
			t.Fatalf("%s is %v s, want %v: %v", text, f, d.Seconds(), err)
		}
	})
}

func FuzzSeconds(f *testing.F) {
	for _, s := range []string{"1", "1.5", "1e400", "null", `"x"`, "-0", "9223372036.854775807"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s nclprotocol.Seconds
		var number float64
		if err := json.Unmarshal([]byte(text), &s); err != nil || json.Unmarshal([]byte(text), &number) != nil {
			return
		}
		if off := math.Abs(s.Duration().Seconds() - number); off > 1e-9+math.Abs(number)*1e-9 {
			t.Errorf("%s is %v", text, s.Duration())
		}
	})
}
