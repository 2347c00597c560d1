package main

import (
	"errors"
	"os/user"
	"path/filepath"
)

// defaultDataDir follows the XDG base directory specification, by which a relative path counts as none; so
// does one in HOME. Services are often started without either: then the user database knows.
func defaultDataDir(env lookup, self func() (*user.User, error)) (string, error) {
	if dir, _ := env("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "oc-scheduler"), nil
	}
	home, _ := env("HOME")
	if !filepath.IsAbs(home) {
		home = homeOf(self())
	}
	if !filepath.IsAbs(home) {
		return "", errors.New("--data-dir: missing, and neither $XDG_STATE_HOME nor $HOME nor the user database names a directory")
	}
	return filepath.Join(home, ".local", "state", "oc-scheduler"), nil
}

func homeOf(u *user.User, err error) string {
	if err != nil {
		return ""
	}
	return u.HomeDir
}
