package execute

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Keep never returns in a process that was started as a keeper, or as what becomes a program.
func Keep() {
	switch os.Args[0] {
	case keeperName:
		syscall.Exit(keep(os.Stdin, os.NewFile(reportFD, "reports"))) // nothing is left to tidy up
	case limiterName:
		err := become(os.Args[1:])
		_, _ = fmt.Fprint(os.NewFile(reportFD, "failure"), err) // nobody is left to tell
		syscall.Exit(1)
	}
}

// keep runs one program and kills what is left of it.
func keep(control io.Reader, reports io.Writer) (code int) {
	runtime.LockOSThread() // the program gets a signal when the thread that started it ends
	syscall.CloseOnExec(reportFD)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP) // handled, so not handed down
	out := json.NewEncoder(reports)
	in := bufio.NewReader(control)
	p, err := begin(in, func(r report) { _ = out.Encode(r) }) // fails when the node has gone
	if err != nil {
		_ = out.Encode(report{Error: err.Error()})
		return 1
	}
	go p.obey(in)
	_ = out.Encode(p.wait())
	return 0
}

// program is the one that a keeper keeps.
type program struct{ pid int }

// begin starts the program. It is reported before it runs: it may kill its keeper at once.
func begin(in *bufio.Reader, tell func(report)) (*program, error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("prctl: %w", err)
	}
	line, err := in.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	var o keeperOrder
	if err := json.Unmarshal(line, &o); err != nil {
		return nil, err
	}
	limits, err := json.Marshal(o.Limits)
	if err != nil {
		return nil, err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	why, failure, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	pid, err := syscall.ForkExec(self, append([]string{limiterName, string(limits), o.Path}, o.Args...), &syscall.ProcAttr{
		Dir: o.Dir, Env: o.Env, Files: []uintptr{null.Fd(), 1, 2, failure.Fd()},
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return nil, err
	}
	tell(report{Started: pid})
	if err := failure.Close(); err != nil {
		return nil, err
	}
	if text, err := io.ReadAll(why); err != nil || len(text) > 0 { // it ends when the program runs
		return nil, errors.Join(err, errors.New(strings.TrimSpace(string(text))))
	}
	return &program{pid}, nil
}

// obey does what the node asks for, and kills all when the node is gone.
func (p *program) obey(in *bufio.Reader) {
	for {
		b, err := in.ReadByte()
		if err != nil {
			break
		}
		if b == terminate {
			_ = syscall.Kill(-p.pid, syscall.SIGTERM) // p is not reaped while this process lives
		}
	}
	for { // until this process ends; a program that forks faster loses in the end
		_, _ = p.killAll()
		time.Sleep(sweepEvery)
	}
}
