package natstest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"testing"
)

// diskVariable says that this process has been given mounts of its own, and where its disk shall be.
const diskVariable = "NATSTEST_DISK"

// noMounts is how a process ends that may mount nothing.
const noMounts = 77

// SmallDisk runs the test that calls it once more, in a process where dir is a file system of that many
// bytes and no more: there it returns true. That takes no rights but those to make a user namespace; a
// machine that does not give them skips the test, in words.
func SmallDisk(t *testing.T, bytes int) (dir string, here bool) {
	t.Helper()
	if dir, asked := os.LookupEnv(diskVariable); asked {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,nr_inodes=2000,mode=0700", bytes)); err != nil {
			fmt.Fprintln(os.Stderr, "natstest: mount:", err)
			os.Exit(noMounts)
		}
		return dir, true
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+regexp.QuoteMeta(t.Name())+"$", "-test.count=1")
	cmd.Env = append(os.Environ(), diskVariable+"="+t.TempDir())
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	err := cmd.Run()
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
	case !ended && errors.Is(err, os.ErrPermission), ended && exit.ExitCode() == noMounts:
		t.Skipf("NO FULL DISK WAS TRIED: this machine lets %d make no user namespace with mounts: %v", os.Getuid(), err)
	default:
		t.Fatalf("on a small disk: %v", err)
	}
	return "", false
}

// FillDisk takes all room in dir, and the room for files without content too. free gives it back.
func FillDisk(tb testing.TB, dir string) (free func()) {
	tb.Helper()
	filler, err := os.MkdirTemp(dir, "filler-*")
	if err != nil {
		tb.Fatal(err)
	}
	f, err := os.CreateTemp(filler, "*")
	for block := make([]byte, 1<<20); err == nil && len(block) > 0; {
		if _, full := f.Write(block); full != nil {
			block = block[:len(block)/2]
		}
	}
	if err = errors.Join(err, f.Close()); err != nil {
		tb.Fatal(err)
	}
	for err == nil {
		if f, err = os.CreateTemp(filler, "*"); err == nil {
			err = f.Close()
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		tb.Fatal(err)
	}
	return func() {
		tb.Helper()
		if err := os.RemoveAll(filler); err != nil {
			tb.Fatal(err)
		}
	}
}
