package execute

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/store/id"
)

// Process starts programs.
type Process struct {
	cfg      Config
	commands allowed
	dir      string
	clock    clockwork.Clock
	log      *slog.Logger
}

var _ Executor = (*Process)(nil)

// NewProcess looks for the commands that may run, and empties dir, below which each task gets a
// directory. The error joins all that is wrong with the commands.
func NewProcess(c Config, dir string, clock clockwork.Clock, log *slog.Logger) (*Process, error) {
	commands, err := allow(c.Commands)
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	return &Process{cfg: c, commands: commands, dir: dir, clock: clock, log: log}, os.MkdirAll(dir, 0o700)
}

// Check fails for commands and variables that the node does not list.
func (p *Process) Check(t Task) error {
	if err := p.commands.check(t.Command); err != nil {
		return err
	}
	return checkEnv(t.Env, p.cfg.Environment)
}

// dirName is how long the name of a task's directory may be: programs put sockets there, whose paths may have
// 107 bytes (unix(7)).
const dirName = 64

// Run starts the program, with a new directory to work in, which is removed in the end.
func (p *Process) Run(ctx context.Context, t Task, stdout, stderr io.Writer) (int, error) {
	if err := p.Check(t); err != nil {
		return 0, err
	}
	dir := filepath.Join(p.dir, id.Name(t.ID, dirName))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return 0, fmt.Errorf(NotStarted+"%w", err)
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil { // it did not concern the task
			p.log.WarnContext(ctx, "directory of an execution is still there", "error", err)
		}
	}()
	k, err := start(ctx, keeperOrder{
		Path: p.commands[t.Command[0]], Args: t.Command, Env: environ(t, dir, p.cfg.Environment), Dir: dir, Limits: p.cfg.Limits,
	}, stdout, stderr)
	if err != nil {
		return 0, fmt.Errorf(NotStarted+"%w", err)
	}
	return p.await(ctx, k, t.within(p.cfg.Timeout))
}

// await is the outcome of a program that may take until limit.
func (p *Process) await(ctx context.Context, k *keeper, limit time.Duration) (int, error) {
	timeout := p.clock.NewTimer(limit)
	defer timeout.Stop()
	select {
	case <-k.ended:
		return k.outcome()
	case <-ctx.Done():
		p.stop(k)
		return 0, context.Cause(ctx)
	case <-timeout.Chan():
		p.stop(k)
		return 0, fmt.Errorf("%w: %v is the limit", ErrTimeout, limit)
	}
}

// stop ends a program, by force when it does not end in time, and waits until nothing is left of it.
func (p *Process) stop(k *keeper) {
	k.terminate()
	grace := p.clock.NewTimer(p.cfg.Grace)
	defer grace.Stop()
	select {
	case <-k.ended:
	case <-grace.Chan():
		k.kill()
	}
}
