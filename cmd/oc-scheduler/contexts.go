package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"go.yaml.in/yaml/v4"
)

// contexts are the replicas that somebody talks to, by names of his own, as they stand in his configuration file.
type contexts struct {
	Current string                  `yaml:"current,omitempty"`
	All     map[string]contextEntry `yaml:"contexts"`
}

// contextEntry is how one is talked to.
type contextEntry struct {
	Server string `yaml:"server"`
	Token  string `yaml:"token,omitempty"`
	CA     string `yaml:"ca,omitempty"`
}

// contextsFile follows the XDG base directory specification, by which a relative path counts as none. Without a
// place for it there is none: "".
func (c *console) contextsFile() string {
	if dir, _ := c.env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "oc-scheduler", "config.yaml")
	}
	if home, _ := c.env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "oc-scheduler", "config.yaml")
	}
	return ""
}

// contexts are those of the file; there are none without one. A file with tokens that others may read is refused.
func (c *console) contexts() (contexts, error) {
	file := c.contextsFile()
	text, err := os.ReadFile(file)
	if file == "" || errors.Is(err, fs.ErrNotExist) {
		return contexts{All: map[string]contextEntry{}}, nil
	}
	if err != nil {
		return contexts{}, err
	}
	var known contexts
	if err := yaml.Load(text, &known, yaml.WithKnownFields()); err != nil {
		return contexts{}, fmt.Errorf("%s is no list of contexts", file) // what is wrong might be a token
	}
	if known.All == nil {
		known.All = map[string]contextEntry{}
	}
	info, err := os.Stat(file)
	if err == nil && known.secret() && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		return contexts{}, fmt.Errorf("%s holds tokens, and others may read it: chmod 600 %[1]s", file)
	}
	return known, err
}

// secret says whether there is a token among them.
func (k *contexts) secret() bool {
	for _, entry := range k.All {
		if entry.Token != "" {
			return true
		}
	}
	return false
}

// keep writes the contexts where only their owner reads them, all or nothing.
func (c *console) keep(known contexts) error {
	file := c.contextsFile()
	if file == "" {
		return errors.New("neither $XDG_CONFIG_HOME nor $HOME names a directory for config.yaml")
	}
	text, err := yaml.Dump(known, yaml.WithIndent(2))
	if err != nil {
		return err
	}
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	fresh, err := os.CreateTemp(dir, ".config-*") // which is for its owner alone
	if err != nil {
		return err
	}
	_, err = fresh.Write(text)
	err = errors.Join(err, fresh.Sync(), fresh.Close())
	if err == nil {
		err = os.Rename(fresh.Name(), file)
	}
	if err != nil {
		_ = os.Remove(fresh.Name())
	}
	return err
}

// named is a context by its name.
func (k *contexts) named(name string) (contextEntry, error) {
	entry, known := k.All[name]
	if !known {
		return entry, fmt.Errorf("context %q: there is none of this name: oc-scheduler context list", name)
	}
	return entry, nil
}
