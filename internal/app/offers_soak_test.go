//go:build soak

package app_test

import (
	"testing"
	"time"
)

// TestSoakAPeerOfManyNodes does for two minutes to twenty nodes what TestAPeerOfManyNodes does to a few.
func TestSoakAPeerOfManyNodes(t *testing.T) {
	end := time.Now().Add(2 * time.Minute)
	newPark(t, 20).chaos(t, func(int) bool { return time.Now().Before(end) })
}
