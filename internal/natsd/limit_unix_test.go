//go:build unix

package natsd_test

import (
	"bytes"
	"syscall"
	"testing"
)

// TestAWriteThatFails holds that one is enough, also when the next would succeed: nats-server tries no
// other in that stream.
func TestAWriteThatFails(t *testing.T) {
	s := start(t, options(t, "127.0.0.1:0"))
	defer s.Shutdown()
	js, nc := stream(t, s), connect(t, s.ClientURL(), steady...)
	limitFiles(t, 2<<20)
	if err := js.Conn().Publish("s.a", bytes.Repeat([]byte("x"), 3<<20)); err != nil {
		t.Fatal(err)
	}
	stops(t, s, "stream", "S", "file too large")
	runs(t, s, nc)
}

// limitFiles makes writes of this process fail that would make a file larger.
func limitFiles(t *testing.T, size uint64) {
	t.Helper()
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	less := before
	less.Cur = size
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &less); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Error(err)
		}
	})
}
