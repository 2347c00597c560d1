package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// listen opens the HTTP address of a flag. What an operator can do about a taken port stands in the error.
func listen(ctx context.Context, flagName, addr string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s: %s is in use by another program; choose another address, or port 0 for any free one", flagName, addr)
	case err != nil:
		return nil, flag(flagName, err)
	}
	return l, nil
}

// announce writes text to a file, if one is asked for, so that a reader never sees half of it.
func announce(flagName, file, text string) error {
	if file == "" {
		return nil
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*")
	if err != nil {
		return flag(flagName, err)
	}
	_, err = tmp.WriteString(text)
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		return flag(flagName, errors.Join(err, os.Remove(tmp.Name())))
	}
	return nil
}

// retract removes a file that was announced, or is left from an earlier life.
func retract(flagName, file string) error {
	if file == "" {
		return nil
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return flag(flagName, err)
	}
	return nil
}
