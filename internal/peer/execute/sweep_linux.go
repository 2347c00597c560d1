package execute

import (
	"errors"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sweepEvery is the time between two looks at what is still there.
const sweepEvery = 2 * time.Millisecond

// wait waits for the program, kills what it left behind, and says how it ended. The program is reaped
// last: until then its number, which is that of its group, belongs to nobody else.
func (p *program) wait() report {
	for {
		pid, err := ended()
		if err != nil || pid == p.pid {
			break
		}
		_, _ = syscall.Wait4(pid, nil, 0, nil) // adopted
	}
	for {
		left, err := p.killAll()
		if err != nil || left == 0 {
			break
		}
		time.Sleep(sweepEvery)
	}
	var status syscall.WaitStatus
	for {
		if _, err := syscall.Wait4(p.pid, &status, 0, nil); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if status.Signaled() {
		return report{Signal: status.Signal().String()}
	}
	code := status.ExitStatus()
	return report{Exit: &code}
}

// killAll kills what descends from this process, and reaps what has ended, but for the program. It
// returns how many were there.
func (p *program) killAll() (left int, err error) {
	_ = syscall.Kill(-p.pid, syscall.SIGKILL) // at once; the rest is for those that left the group
	all, err := descendants(os.Getpid())
	for _, d := range all {
		switch {
		case d.pid == p.pid:
			continue
		case d.zombie:
			_, _ = syscall.Wait4(d.pid, nil, syscall.WNOHANG, nil) // fails for what is not ours yet
		default:
			_ = syscall.Kill(d.pid, syscall.SIGKILL)
		}
		left++
	}
	return left, err
}

// siginfo is unix.Siginfo with what waitid(2) tells of a child, which is aligned like a pointer.
type siginfo struct {
	_   [3]int32
	_   [0]uintptr
	pid int32
	_   unix.Siginfo // room for all that the kernel writes
}

// ended waits for a child to end, and does not reap it.
func ended() (pid int, err error) {
	var info siginfo
	for {
		err := unix.Waitid(unix.P_ALL, 0, (*unix.Siginfo)(unsafe.Pointer(&info)), unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return int(info.pid), err
		}
	}
}
