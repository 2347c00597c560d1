package planner

import (
	"fmt"
	"math"
	"testing"
)

// TestAmountsOfAnySize around what takes one word more.
func TestAmountsOfAnySize(t *testing.T) {
	t.Parallel()
	for _, large := range []Amount{1, math.MaxUint32 - 1, math.MaxUint32, math.MaxUint32 + 1, 1 << 33, MaxAmount} {
		for _, usage := range []string{`"a":%v,"b":0.002`, `"b":0.002,"a":%v,"c":1`} {
			doc := fmt.Sprintf(`{"peer_id":"p","generated_at":"2026-12-01T08:00:00Z","capacities":{"r":{"i":{"a":%v,"b":0.003}}},"schedule":{"r":[
				{"start":"2026-12-01T08:00:00Z","end":"2026-12-01T09:00:00Z","usage":{`+usage+`}},
				{"start":"2026-12-01T10:00:00Z","end":"2026-12-01T11:00:00Z","usage":{"b":0.001}}]}}`, large, large)
			p, err := Decode([]byte(doc), nil)
			if err != nil {
				t.Fatal(err)
			}
			i := NewIndex(p).Resource("r").Instances()[0]
			a, b := i.Timeline("a"), i.Timeline("b")
			if a.Capacity() != large || b.Capacity() != 3 || a.MaxUse(math.MinInt64, math.MaxInt64) != large || b.MaxUse(math.MinInt64, math.MaxInt64) != 2 {
				t.Errorf("%v: %v and %v of %v and %v", large, a.MaxUse(math.MinInt64, math.MaxInt64), b.MaxUse(math.MinInt64, math.MaxInt64), a.Capacity(), b.Capacity())
			}
		}
	}
}
