package guard_test

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"oc-scheduler/streams/guard"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func explode() error { panic(io.ErrUnexpectedEOF) }

func fault() error {
	var nobody *struct{ name string }
	return errors.New(nobody.name)
}

func TestWhateverIsCalled(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(func() error) error{"run": guard.Run, "apart": guard.Apart} {
		if err := call(func() error { return nil }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := call(func() error { return io.EOF }); !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", name, err)
		}
		err := call(explode)
		if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "guard_test.explode (guard_test.go:") {
			t.Errorf("%s, a panic: %v", name, err)
		}
		err = call(fault)
		p, is := errors.AsType[*guard.PanicError](err)
		if !is || !strings.Contains(err.Error(), "guard_test.fault") || !strings.Contains(string(p.Stack), "guard_test.fault") {
			t.Errorf("%s, a fault: %v", name, err)
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than a line: %v", name, err)
		}
	}
}

func TestAGoroutineThatEnds(t *testing.T) {
	t.Parallel()
	err := guard.Apart(func() error { runtime.Goexit(); return nil })
	if p, is := errors.AsType[*guard.PanicError](err); !is || p.Unwrap() == nil {
		t.Errorf("%v", err)
	}
}

func BenchmarkApart(b *testing.B) {
	for b.Loop() {
		_ = guard.Apart(func() error { return nil })
	}
}
