package planner

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestMaxima(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.IntRange(1, 2*blockSize+1), rapid.IntRange(1, 40*blockSize)).Draw(t, "n")
		values := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 60), func(v int) uint64 { return uint64(v * v * v) }), n, n).Draw(t, "values")
		m := newMaxima(values)
		for range 50 {
			i := rapid.IntRange(0, n-1).Draw(t, "i")
			j := rapid.IntRange(i, n).Draw(t, "j")
			want := uint64(0)
			for _, v := range values[i:j] {
				want = max(want, v)
			}
			if got := m.over(i, j); got != want {
				t.Fatalf("over(%d, %d) = %d, want %d", i, j, got, want)
			}
			least := rapid.Uint64Range(0, 61*61*61).Draw(t, "least")
			next := i
			for next < n && values[next] < least {
				next++
			}
			if got := m.next(i, least); got != next {
				t.Fatalf("next(%d, %d) = %d, want %d", i, least, got, next)
			}
		}
	})
}

func TestLastAtOrBefore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfDistinct(rapid.Int64Range(0, 100), rapid.ID).Draw(t, "times")
		slices.Sort(times)
		for now := int64(-1); now <= 101; now++ {
			i, found := slices.BinarySearch(times, now)
			if !found {
				i--
			}
			if got := lastAtOrBefore(times, now); got != i {
				t.Fatalf("lastAtOrBefore(%v, %d) = %d, want %d", times, now, got, i)
			}
		}
	})
}

func TestSumIsExactAndSaturates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var s sum
		exact := new(big.Int)
		var added []Amount
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if len(added) > 0 && rapid.IntRange(0, 2).Draw(t, "take") == 0 {
				last := added[len(added)-1]
				added = added[:len(added)-1]
				s.sub(last)
				exact.Sub(exact, big.NewInt(int64(last)))
			} else {
				a := rapid.OneOf(rapid.Int64Range(0, int64(MaxAmount)), rapid.Just(int64(MaxAmount))).Draw(t, "amount")
				added = append(added, Amount(a))
				s.add(Amount(a))
				exact.Add(exact, big.NewInt(a))
			}
			want := Amount(math.MaxInt64)
			if exact.IsInt64() {
				want = Amount(exact.Int64())
			}
			if got := s.amount(); got != want {
				t.Fatalf("sum of %v = %d, want %d", added, got, want)
			}
		}
	})
}

func TestSaturationBetween63And64Bits(t *testing.T) {
	t.Parallel()
	var s sum
	for range 10 {
		s.add(MaxAmount)
	}
	if got := s.amount(); s.high != 0 || got != math.MaxInt64 {
		t.Errorf("ten of the largest are %d", got)
	}
}

func TestCommon(t *testing.T) {
	t.Parallel()
	intervals := rapid.Custom(func(t *rapid.T) (list []Interval) {
		bounds := rapid.SliceOfNDistinct(rapid.Int64Range(0, 50), 0, 20, rapid.ID).Draw(t, "bounds")
		slices.Sort(bounds)
		for pair := range slices.Chunk(bounds, 2) {
			if len(pair) == 2 {
				list = append(list, Interval{pair[0], pair[1]})
			}
		}
		return list
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := intervals.Draw(t, "a"), intervals.Draw(t, "b")
		both := common(a, b)
		if !slices.IsSortedFunc(both, func(a, b Interval) int { return cmp.Compare(a.Start, b.Start) }) {
			t.Fatalf("common = %v", both)
		}
		for now := range int64(51) {
			if want := within(a, now) == 1 && within(b, now) == 1; (within(both, now) == 1) != want || within(both, now) > 1 {
				t.Fatalf("common(%v, %v) = %v, wrong at %d", a, b, both, now)
			}
		}
	})
}

// within is how many of the intervals hold t.
func within(list []Interval, t int64) (n int) {
	for _, i := range list {
		if i.Start <= t && t < i.End {
			n++
		}
	}
	return n
}

// TestGapsWithoutBounds: lengths that no int64 can hold are exact, and for ever is longer than all.
func TestGapsWithoutBounds(t *testing.T) {
	t.Parallel()
	g := newGaps([]Interval{{math.MinInt64, math.MaxInt64 - 5}, {math.MaxInt64 - 3, math.MaxInt64}})
	for _, c := range []struct{ t, d, want int64 }{
		{math.MinInt64, math.MaxInt64, math.MinInt64},
		{-5, math.MaxInt64, -5},
		{-4, math.MaxInt64, math.MaxInt64 - 3},
		{math.MaxInt64 - 1, math.MaxInt64, math.MaxInt64 - 1},
		{math.MaxInt64 - 5, 1, math.MaxInt64 - 3},
	} {
		if got, ok := g.Earliest(c.t, c.d); !ok || got != c.want {
			t.Errorf("Earliest(%d, %d) = %d, %v, want %d", c.t, c.d, got, ok, c.want)
		}
	}
	if end, ok := always.Until(math.MinInt64); !ok || end != math.MaxInt64 {
		t.Errorf("always ends at %d", end)
	}
}
