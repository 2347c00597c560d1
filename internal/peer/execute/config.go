package execute

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"
)

// Kinds of executors.
const (
	KindSleep   = "sleep"
	KindProcess = "process"
)

// Config is what a node runs, and within what bounds. Zero values mean the defaults.
type Config struct {
	Type          string        `yaml:"type"`           // sleep (default) or process
	MaxConcurrent int           `yaml:"max_concurrent"` // tasks at a time; default 4
	MaxQueued     int           `yaml:"max_queued"`     // tasks that wait, more are refused; default 1000
	Timeout       time.Duration `yaml:"timeout"`        // of a task that asks for none, and the most one may ask for; default 24h

	// The rest is for process alone.

	Commands    []string      `yaml:"commands"`    // absolute paths, or names found in PATH at the start; all else is refused
	Environment []string      `yaml:"environment"` // variables that pass from the node, and that an order may set
	Grace       time.Duration `yaml:"grace"`       // from SIGTERM to SIGKILL; default 5s
	Limits      Limits        `yaml:"limits"`
}

// Limits are those of each process (getrlimit(2)). Zero: none of its own, but for core dumps, which
// are never made.
type Limits struct {
	CPU       time.Duration `yaml:"cpu"`          // time of the processor
	MemoryMB  uint64        `yaml:"memory_mb"`    // private memory, in MiB (RLIMIT_DATA)
	FileMB    uint64        `yaml:"file_size_mb"` // of one file that it writes, in MiB
	OpenFiles uint64        `yaml:"open_files"`
	Processes uint64        `yaml:"processes"` // of the node's user in all; root has no such limit
}

// SetDefaults fills in what is zero.
func (c *Config) SetDefaults() {
	c.Type = cmp.Or(c.Type, KindSleep)
	c.MaxConcurrent = cmp.Or(c.MaxConcurrent, 4)
	c.MaxQueued = cmp.Or(c.MaxQueued, 1000)
	c.Timeout = cmp.Or(c.Timeout, 24*time.Hour)
	c.Grace = cmp.Or(c.Grace, 5*time.Second)
}

// Fault is one thing wrong with a configuration.
type Fault struct {
	Field string // as in YAML
	Err   error
}

// Faults is all that is wrong with a configuration whose defaults are set. It looks for the commands.
func (c Config) Faults() []Fault {
	var faults []Fault
	add := func(wrong bool, field, format string, args ...any) {
		if wrong {
			faults = append(faults, Fault{field, fmt.Errorf(format, args...)})
		}
	}
	add(c.Type != KindSleep && c.Type != KindProcess, "type", "%q is neither sleep nor process", clip(c.Type))
	add(c.MaxConcurrent < 1 || c.MaxConcurrent > 10_000, "max_concurrent", "%d is not between 1 and 10000", c.MaxConcurrent)
	add(c.MaxQueued < 1 || c.MaxQueued > 1_000_000, "max_queued", "%d is not between 1 and 1000000", c.MaxQueued)
	add(c.Timeout < 0, "timeout", "%v is below zero", c.Timeout)
	add(c.Grace < 0, "grace", "%v is below zero", c.Grace)
	add(c.Limits.CPU < 0 || c.Limits.CPU%time.Second != 0, "limits.cpu", "%v is not a number of whole seconds", c.Limits.CPU)
	add(c.Limits.MemoryMB > 0 && c.Limits.MemoryMB < 16, "limits.memory_mb", "nothing starts with less than 16")
	add(c.Limits.OpenFiles > 0 && c.Limits.OpenFiles < 8, "limits.open_files", "nothing starts with less than 8")
	add(max(c.Limits.MemoryMB, c.Limits.FileMB) > 1<<40, "limits", "a size is above 2^40 MiB")
	for _, name := range c.Environment {
		add(!isVariable(name), "environment", "%q can't be the name of a variable", clip(name))
		add(strings.HasPrefix(name, "LD_"), "environment", "%s would have listed commands load code that is not listed", clip(name))
	}
	if c.Type == KindProcess {
		add(len(c.Commands) == 0, "commands", "none is listed, so nothing could run")
		_, err := allow(c.Commands)
		add(err != nil, "commands", "%w", err)
	}
	add(c.Type == KindSleep && len(c.Commands) > 0, "commands", "they need type: process")
	return faults
}

func isVariable(name string) bool {
	return name != "" && !strings.ContainsAny(name, "=\x00") && !slices.Contains(own, name)
}

// New makes the executor that the configuration asks for, whose tasks have directories below dir. The
// error joins all that is wrong with the commands.
func New(c Config, dir string, clock clockwork.Clock, log *slog.Logger) (Executor, error) {
	switch c.Type {
	case KindSleep:
		return Sleep{Clock: clock, Limit: c.Timeout}, nil
	case KindProcess:
		return NewProcess(c, dir, clock, log)
	}
	return nil, errors.New("no such executor")
}
