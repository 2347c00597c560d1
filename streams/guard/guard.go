// Package guard calls code that is somebody else's: whatever that does, its caller goes on.
package guard

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// errGoexit is the Value of a PanicError that is no panic.
var errGoexit = errors.New("its goroutine was ended by runtime.Goexit")

// PanicError says that a call did not return.
type PanicError struct {
	Value any    // of the panic
	Where string // the function and line that panicked; empty when that is not known
	Stack []byte
}

// Error is one line: the stack is for logs.
func (e *PanicError) Error() string {
	if e.Where == "" {
		return fmt.Sprintf("panic: %v", e.Value)
	}
	return fmt.Sprintf("panic at %s: %v", e.Where, e.Value)
}

// Unwrap is the Value if that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Run calls f. It fails as f does, or with a *PanicError.
func Run(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{v, where(), debug.Stack()}
		}
	}()
	return f()
}

// Apart is Run on a goroutine of its own, for which it waits: so it returns even when f ends the goroutine,
// as a test does that fails.
func Apart(f func() error) error {
	var err error = &PanicError{Value: errGoexit}
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = Run(f)
	}()
	<-done
	return err
}

// where is the function that panicked, asked by one that was deferred.
func where() string {
	callers := make([]uintptr, 32)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	for panicked := false; ; {
		frame, more := frames.Next()
		if panicked && !strings.HasPrefix(frame.Function, "runtime.") {
			return fmt.Sprintf("%s (%s:%d)", frame.Function, frame.File[strings.LastIndexByte(frame.File, '/')+1:], frame.Line)
		}
		panicked = panicked || frame.Function == "runtime.gopanic"
		if !more {
			return ""
		}
	}
}
