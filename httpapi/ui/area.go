package ui

import (
	"math"
	"strconv"
)

// Height is how high a lane is, in its own pixels.
const Height = 40

// use is how much of what there is is in use at most in an interval.
type use func(start, end int64) float64

// area outlines a use over time, from the bottom of a lane, as the path of an SVG: what is in use within a
// pixel is shown by the most. use gives that of an interval as a part of what there is; more than all is
// shown as all. It is empty when nothing is in use.
func area(s scale, use use) string {
	path := make([]byte, 0, 256)
	level, turn := 0, 0 // of the pixel before, from the bottom; where it was reached
	for pixel := range Width {
		used := heightOf(use(s.at(pixel), max(s.at(pixel+1), s.at(pixel)+1)))
		if used == level {
			continue
		}
		if len(path) == 0 {
			path = append(path, 'M')
			path = strconv.AppendInt(path, int64(pixel), 10)
			path = append(path, ' ')
			path = strconv.AppendInt(path, Height, 10)
		} else {
			path = append(path, 'h') // relative, for that is short
			path = strconv.AppendInt(path, int64(pixel-turn), 10)
		}
		path = append(path, 'V')
		path = strconv.AppendInt(path, int64(Height-used), 10)
		level, turn = used, pixel
	}
	if len(path) == 0 {
		return ""
	}
	path = append(path, 'h')
	path = strconv.AppendInt(path, int64(Width-turn), 10)
	path = append(path, 'V')
	path = strconv.AppendInt(path, Height, 10)
	return string(append(path, 'Z'))
}

// heightOf is how many pixels of a lane show a part of what there is: nothing is 0, anything 1 at least,
// and only all of it is all.
func heightOf(part float64) int {
	switch {
	case part <= 0:
		return 0
	case part >= 1:
		return Height
	}
	return min(max(int(math.Round(part*Height)), 1), Height-1)
}
