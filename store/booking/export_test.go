package booking

// Earliest opens the search to benchmarks.
func Earliest(p *Problem, from, length int64) (start int64, ok bool) {
	start, ok, _ = p.earliest(from, length)
	return start, ok
}
