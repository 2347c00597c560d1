package app

import "testing"

// TestAnEngineThatComesWhileItIsLookedFor makes nothing ready whose views nobody has asked.
func TestAnEngineThatComesWhileItIsLookedFor(t *testing.T) {
	t.Parallel()
	r := &Replica{permits: &permits{}}
	for _, check := range r.checks() {
		if check.Name != "engine" {
			continue
		}
		r.engine.Store(&engine{})
		if check.Probe() == nil {
			t.Error("the engine is ready, but of the views nothing is known")
		}
		return
	}
	t.Error("nobody asks for the engine")
}
