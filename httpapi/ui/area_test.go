package ui

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestAnAreaShowsTheMostInEachPixel holds the outline of random slots against each pixel on its own.
func TestAnAreaShowsTheMostInEachPixel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		type slot struct {
			start, end int64
			part       float64
		}
		s := scale{from: rapid.Int64Range(-5000, 5000).Draw(t, "from")}
		s.to = s.from + rapid.Int64Range(Width, 20*Width).Draw(t, "length")
		slots := make([]slot, rapid.IntRange(0, 8).Draw(t, "slots"))
		for i := range slots {
			start := rapid.Int64Range(s.from-500, s.to+500).Draw(t, "start")
			slots[i] = slot{start, start + rapid.Int64Range(1, 9000).Draw(t, "slot"), rapid.Float64Range(0, 1.5).Draw(t, "part")}
		}
		use := func(start, end int64) (most float64) {
			for _, sl := range slots {
				if sl.start < end && start < sl.end {
					most = max(most, sl.part)
				}
			}
			return most
		}
		heights := outlined(t, area(s, use))
		for pixel, got := range heights {
			if want := heightOf(use(s.at(pixel), s.at(pixel+1))); got != want {
				t.Fatalf("pixel %d is %d high, want %d", pixel, got, want)
			}
		}
	})
}

// outlined reads the height of each pixel from a path.
func outlined(t *rapid.T, path string) (heights [Width]int) {
	if path == "" {
		return heights
	}
	x, level := 0, 0
	path = strings.TrimSuffix(path, "Z")
	for len(path) > 0 {
		var command rune
		var first, second int
		if n, _ := fmt.Sscanf(path, "M%d %d", &first, &second); n == 2 {
			x, level = first, Height-second
			path = strings.TrimPrefix(path, fmt.Sprintf("M%d %d", first, second))
			continue
		}
		if n, err := fmt.Sscanf(path, "%c%d", &command, &first); n != 2 {
			t.Fatalf("what is %q? %v", path, err)
		}
		path = strings.TrimPrefix(path, fmt.Sprintf("%c%d", command, first))
		switch command {
		case 'h':
			for end := x + first; x < end; x++ {
				heights[x] = level
			}
		case 'V':
			level = Height - first
		}
	}
	return heights
}

func TestHeights(t *testing.T) {
	t.Parallel()
	for part, want := range map[float64]int{
		0: 0, 1e-9: 1, 0.5: Height / 2, 0.999999: Height - 1, 1: Height, 7: Height, math.Inf(1): Height,
	} {
		if got := heightOf(part); got != want {
			t.Errorf("%v of all is %d high, want %d", part, got, want)
		}
	}
}
