package workflow

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"oc-scheduler/store/digest"
	"oc-scheduler/store/fault"
)

// What one step may hand to a program, beside what its node allows: a run keeps it for every step.
const (
	maxWords     = 1024     // of a command
	maxVariables = 256      // of an environment
	maxHanded    = 64 << 10 // bytes of both
	maxRetries   = 10
)

// task is what a processing item has nodes execute.
type task struct {
	command []string          // program and arguments; empty: nothing is executed
	env     map[string]string // variables beside those that the node sets
	retries int               // how often it is tried again
}

// task reads the members of a processing item that say what to execute. What a version stored that knew none
// of them is as if they weren't there, where it is not what they must be.
func (r *reader) task(it *item, name string) error {
	before, t := len(r.faults), it.task
	var err error
	switch name {
	case "command":
		err = r.command(&it.task)
	case "env":
		err = r.env(&it.task)
	case "retries":
		err = r.retries(&it.task)
	}
	if r.stored && len(r.faults) > before {
		r.faults, it.task = r.faults[:before], t
	}
	return err
}

func (r *reader) command(t *task) error {
	if r.d.PeekKind() == 'n' {
		return r.d.SkipValue()
	}
	before := len(r.faults)
	isArray, err := r.array(func() error {
		word, err := r.plain()
		t.command = append(t.command, word)
		return err
	})
	switch {
	case err != nil || !isArray:
	case len(t.command) > maxWords:
		r.fault("has %d strings, at most %d are allowed", len(t.command), maxWords)
	case len(r.faults) == before && (len(t.command) == 0 || t.command[0] == ""):
		r.fault("begins with the name of a program")
	}
	return err
}

func (r *reader) env(t *task) error {
	env := map[string]string{}
	_, err := r.optionalObject(func(name string) error {
		if !isVariable(name) {
			r.fault("can't be the name of a variable: letters, digits and _ can, no digit first")
		}
		value, err := r.plain()
		env[name] = value
		return err
	})
	if err == nil && len(env) > maxVariables {
		r.fault("has %d variables, at most %d are allowed", len(env), maxVariables)
	}
	if len(env) > 0 {
		t.env = env
	}
	return err
}

// isVariable says whether every shell could set a variable of that name (POSIX, 3.216).
func isVariable(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// plain reads text that a program can be given.
func (r *reader) plain() (string, error) {
	if r.d.PeekKind() == 'n' {
		return "", r.refuse("a string", 'n')
	}
	s, _, err := r.text()
	if strings.ContainsRune(s, 0) {
		r.fault("holds a zero byte")
	}
	return s, err
}

func (r *reader) retries(t *task) error {
	switch kind := r.d.PeekKind(); kind {
	case 'n':
		return r.d.SkipValue()
	case '0':
	default:
		return r.refuse("a whole number", kind)
	}
	number, err := r.d.ReadValue()
	if err != nil {
		return err
	}
	n, notWhole := strconv.Atoi(string(number))
	if notWhole != nil || n < 0 || n > maxRetries {
		r.fault("must be a whole number from 0 to %d", maxRetries)
		return nil
	}
	t.retries = n
	return nil
}

// handed judges all that an item hands to a program, which was read last.
func (r *reader) handed(it *item) {
	size := 0
	for _, word := range it.task.command {
		size += len(word) + 1
	}
	for name, value := range it.task.env {
		size += len(name) + len(value) + 2
	}
	switch {
	case size <= maxHanded:
	case r.stored:
		it.task = task{}
	default:
		r.fault("command and env are %d bytes, at most %d are allowed", size, maxHanded)
	}
}

// places makes sure that what is to be executed has somewhere to run.
func (r *reader) places(pairs []pair) {
	placed := make([]bool, len(r.items))
	for _, p := range pairs {
		placed[p.from] = placed[p.from] || r.items[p.to].kind == Compute
		placed[p.to] = placed[p.to] || r.items[p.from].kind == Compute
	}
	for i := range r.items {
		it := &r.items[i]
		switch {
		case len(it.task.command) == 0 || placed[i]:
		case r.stored:
			it.task = task{}
		default:
			path := fault.Member(fault.Member(itemsPath, it.id), "processing")
			r.faults.Add(fault.Member(path, "command"), "needs a compute item that this one is linked to")
		}
	}
}

func (t task) isZero() bool { return len(t.command) == 0 && len(t.env) == 0 && t.retries == 0 }

// append writes a task so that no two write the same.
func (t task) append(b []byte) []byte {
	b = digest.Texts(b, t.command)
	names := slices.Sorted(maps.Keys(t.env))
	b = digest.Texts(b, names)
	for _, name := range names {
		b = digest.Text(b, t.env[name])
	}
	return append(b, byte(t.retries))
}
