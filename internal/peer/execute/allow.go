package execute

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// allowed are the commands that may run: what an order calls them → the file that is run. A link is
// followed once, at the start: what it points to later changes nothing.
type allowed map[string]string

// allow finds the commands that a configuration lists. The error joins those that can't run.
func allow(commands []string) (allowed, error) {
	list := allowed{}
	var errs []error
	for _, command := range commands {
		file, err := find(command)
		if err != nil {
			errs = append(errs, fmt.Errorf("command %q: %w", clip(command), err))
			continue
		}
		list[command] = file
	}
	return list, errors.Join(errs...)
}

func find(command string) (string, error) {
	file := command
	switch {
	case command == "" || strings.ContainsRune(command, 0):
		return "", errors.New("not a name")
	case !strings.ContainsRune(command, filepath.Separator):
		var err error
		if file, err = exec.LookPath(command); err != nil {
			return "", errors.Unwrap(err) // the rest repeats the name
		}
	case !filepath.IsAbs(command) || filepath.Clean(command) != command:
		return "", errors.New("not an absolute path in its shortest form")
	}
	file, err := filepath.EvalSymlinks(file)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return "", err
	case !filepath.IsAbs(file):
		return "", errors.New("found in a directory of PATH that is not absolute")
	case !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0:
		return "", fmt.Errorf("%w: it is not an executable file", fs.ErrPermission)
	case info.Mode().Perm()&0o002 != 0:
		return "", errors.New("anybody may change this file")
	}
	return file, nil
}

// The most that an order may hand to a program.
const (
	maxArguments     = 4096
	maxArgumentBytes = 1 << 20
)

// check says why a command may not run.
func (a allowed) check(command []string) error {
	if len(command) == 0 {
		return errors.New("there is no command")
	}
	if _, listed := a[command[0]]; !listed {
		return fmt.Errorf("command %q is not listed on this node", clip(command[0]))
	}
	size := 0
	for _, arg := range command {
		if strings.ContainsRune(arg, 0) {
			return errors.New("an argument holds a zero byte")
		}
		size += len(arg) + 1
	}
	if len(command) > maxArguments || size > maxArgumentBytes {
		return fmt.Errorf("the command has more than %d arguments or %d bytes", maxArguments, maxArgumentBytes)
	}
	return nil
}
