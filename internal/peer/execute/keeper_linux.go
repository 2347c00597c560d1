package execute

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// How this executable is called when it is not to be itself: as the keeper of a program, and as what
// becomes the program once the limits are set.
const (
	keeperName  = "oc-scheduler-keeper"
	limiterName = "oc-scheduler-limiter"
	self        = "/proc/self/exe"
)

// leftOpen is how long output is read when the keeper has gone: only what escaped it may still write.
const leftOpen = 10 * time.Second

// readWithin is how long the reading of reports may take when the keeper has gone.
const readWithin = 2 * time.Second

// reportFD is where a keeper reports, and where a limiter says why it failed.
const reportFD = 3

// keeperOrder is the first line of what a keeper reads. After it comes a terminate byte or none; the
// end of what it reads means to kill everything.
type keeperOrder struct {
	Path   string
	Args   []string
	Env    []string
	Dir    string
	Limits Limits
}

const terminate = 't'

// report is what a keeper writes: that the program has been started, and how it ended.
type report struct {
	Started int    `json:",omitempty"` // the program's process, which leads its group
	Exit    *int   `json:",omitempty"`
	Signal  string `json:",omitempty"` // that killed it
	Error   string `json:",omitempty"` // why it was not started
}

// keeper is a running keeper as the node sees it.
type keeper struct {
	cmd     *exec.Cmd
	control io.WriteCloser
	reaped  chan struct{} // closed when the keeper has gone
	ended   chan struct{} // closed when nothing is left
	last    report
}

// start starts a keeper with its program.
func start(ctx context.Context, o keeperOrder, stdout, stderr io.Writer) (*keeper, error) {
	order, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	reports, reporter, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = reporter.Close() }()                      // the keeper has its own
	cmd := exec.CommandContext(context.WithoutCancel(ctx), self) // a keeper ends when it has killed all
	cmd.Args, cmd.Env, cmd.Dir = []string{keeperName}, []string{"GOMAXPROCS=1"}, "/"
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = stdout, stderr, []*os.File{reporter}
	cmd.WaitDelay = leftOpen
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // signals of a terminal are the node's
	k := &keeper{cmd: cmd, reaped: make(chan struct{}), ended: make(chan struct{})}
	if k.control, err = cmd.StdinPipe(); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(err, reports.Close())
	}
	go k.reap(reports)
	go k.follow(reports)
	if _, err := k.control.Write(append(order, '\n')); err != nil {
		k.kill() // it has gone already, and follow tells
	}
	return k, nil
}

// reap waits for the keeper. What has killed it may hold its reports open, so they are not waited for then.
func (k *keeper) reap(reports *os.File) {
	_ = k.cmd.Wait()                                        // what it says is in the last report
	_ = reports.SetReadDeadline(time.Now().Add(readWithin)) // fails only when follow has closed it
	close(k.reaped)
}

// follow reads what the keeper reports, until it has gone.
func (k *keeper) follow(reports io.ReadCloser) {
	defer close(k.ended)
	started := 0
	for decoder := json.NewDecoder(reports); ; {
		var r report
		if decoder.Decode(&r) != nil {
			break
		}
		if started == 0 {
			started = r.Started // the first one was written before there was a program
		}
		k.last = r
	}
	if k.last.Started > 0 {
		_ = syscall.Kill(-started, syscall.SIGKILL) // the keeper was killed, and could not do it
	}
	<-k.reaped
	_ = reports.Close() // it was only read
}

// terminate asks the program to end.
func (k *keeper) terminate() {
	_, _ = k.control.Write([]byte{terminate}) // fails only when it has ended
	k.goOn()
}

// goOn wakes a keeper that its program has stopped.
func (k *keeper) goOn() { _ = k.cmd.Process.Signal(syscall.SIGCONT) } // fails only when it has gone

// goOnEvery is the time between two wake-ups of a keeper that has to end.
const goOnEvery = 10 * time.Millisecond

// kill ends everything, and returns when nothing is left. The keeper does it; its program may stop it again
// and again until it has. One that can't be woken is killed.
func (k *keeper) kill() {
	_ = k.control.Close() // the keeper sees it
	tick := time.NewTicker(goOnEvery)
	defer tick.Stop()
	late := time.After(leftOpen)
	for {
		k.goOn()
		select {
		case <-k.ended:
			return
		case <-tick.C:
		case <-late:
			_ = k.cmd.Process.Kill() // fails only when it has gone
		}
	}
}

// outcome is how the program ended.
func (k *keeper) outcome() (int, error) {
	defer k.kill()
	switch {
	case k.last.Error != "":
		return 0, errors.New(NotStarted + k.last.Error)
	case k.last.Signal != "":
		return 0, errors.New(EndedBySignal + k.last.Signal)
	case k.last.Exit != nil:
		return *k.last.Exit, nil
	}
	return 0, errors.New("its keeper was killed")
}
