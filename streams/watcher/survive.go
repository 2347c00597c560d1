package watcher

import (
	"fmt"
	"runtime/debug"
)

// survive makes ErrDamaged of a panic: with one, bbolt answers what it finds where it does not belong, and
// the hardware what lies beyond the end of a file that was cut short. A transaction that ends so is rolled
// back.
func survive(path string, f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %w: %v", path, ErrDamaged, r)
		}
	}()
	return f()
}
