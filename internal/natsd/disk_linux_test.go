package natsd_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"oc-scheduler/internal/natstest"
)

// TestAStoreThatBecomesReadOnly holds that nothing is wrong with it when it is writable again.
func TestAStoreThatBecomesReadOnly(t *testing.T) {
	dir, here := natstest.SmallDisk(t, 16<<20)
	if !here {
		return
	}
	o := options(t, "127.0.0.1:0")
	o.DataDir = filepath.Join(dir, "store")
	s := start(t, o)
	defer s.Shutdown()
	stream(t, s)
	nc := connect(t, s.ClientURL(), steady...)
	for _, flags := range []uintptr{syscall.MS_BIND, syscall.MS_BIND | syscall.MS_REMOUNT | syscall.MS_RDONLY} {
		if err := syscall.Mount(o.DataDir, o.DataDir, "", flags, ""); err != nil {
			t.Fatal(err)
		}
	}
	stops(t, s, o.DataDir, "read-only file system")
	if err := syscall.Unmount(o.DataDir, 0); err != nil {
		t.Fatal(err)
	}
	runs(t, s, nc)
}
