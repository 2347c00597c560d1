package execute

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

const maskOthers = 0o077

// become sets the limits of this process and turns it into the program. args are the limits, the file
// and the program's arguments, its name first. It returns only when that failed.
func become(args []string) error {
	spareThreads()
	runtime.LockOSThread() // prctl is for one thread, and exec keeps that
	debug.SetGCPercent(-1) // nothing here needs memory once the limits stand
	syscall.CloseOnExec(reportFD)
	if len(args) < 3 {
		return errors.New("arguments are missing")
	}
	var limits Limits
	if err := json.Unmarshal([]byte(args[0]), &limits); err != nil {
		return err
	}
	syscall.Umask(maskOthers)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil { // no set-user-ID program gives it more rights
		return fmt.Errorf("prctl: %w", err)
	}
	file, argv, env := args[1], args[2:], os.Environ()
	if err := limits.set(); err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", file, syscall.Exec(file, argv, env))
}

// spareThreads makes some threads that the runtime keeps: when it takes the processor from this one on a
// busy machine it needs another, and none can be made any more once the limits stand.
func spareThreads() {
	const enough = 4
	var locked, left sync.WaitGroup
	release := make(chan struct{})
	for range enough {
		locked.Add(1)
		left.Go(func() {
			runtime.LockOSThread() // so that the next one needs a thread of its own
			defer runtime.UnlockOSThread()
			locked.Done()
			<-release
		})
	}
	locked.Wait()
	close(release)
	left.Wait()
}

// set sets the limits that are not zero. The system may have lower ones, which stay.
func (l Limits) set() error {
	const mib = 1 << 20
	for _, limit := range []struct {
		resource int
		value    uint64
		always   bool
	}{
		{syscall.RLIMIT_CORE, 0, true},
		{syscall.RLIMIT_CPU, uint64(l.CPU.Seconds()), false},
		{syscall.RLIMIT_FSIZE, l.FileMB * mib, false},
		{syscall.RLIMIT_NOFILE, l.OpenFiles, false},
		{unix.RLIMIT_NPROC, l.Processes, false},
		{syscall.RLIMIT_DATA, l.MemoryMB * mib, false},
	} {
		if limit.value == 0 && !limit.always {
			continue
		}
		var have syscall.Rlimit
		if err := syscall.Getrlimit(limit.resource, &have); err != nil {
			return fmt.Errorf("getrlimit %d: %w", limit.resource, err)
		}
		value := min(limit.value, have.Max)
		if err := syscall.Setrlimit(limit.resource, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("setrlimit %d: %w", limit.resource, err)
		}
	}
	return nil
}
