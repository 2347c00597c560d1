package app

import (
	"errors"
	"os"
	"path/filepath"

	"oc-scheduler/internal/natsd"
)

// checkFiles reports all that is wrong with the files and directories that the flags name: it reads
// those that will be read, and tries those that will be written into.
func (c Config) checkFiles() error {
	_, err := c.options()
	_, secretErr := c.clientSecret()
	errs := []error{
		err,
		secretErr,
		flag("--listen-file", checkPlace(c.ListenFile)),
		flag("--metrics-listen-file", checkPlace(c.MetricsListenFile)),
		flag("--ready-file", checkPlace(c.ReadyFile)),
		flag("--bootstrap-token-file", checkPlace(c.BootstrapTokenFile)),
	}
	if c.Embedded() {
		errs = append(errs,
			flag("--nats-listen-file", checkPlace(c.NATSListenFile)),
			flag("--data-dir", makeDir(c.DataDir)))
	}
	return errors.Join(errs...)
}

// makeDir makes the directory and tries to write into it. A disk that is full is no fault of the
// configuration: the server waits for room.
func makeDir(dir string) error {
	if dir == "" {
		return errors.New("the embedded NATS server needs a directory")
	}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = probe(dir)
	}
	if natsd.Full(err) {
		return nil
	}
	return err
}

// checkPlace tries to write where a file is to be made, if one is asked for.
func checkPlace(file string) error {
	if file == "" {
		return nil
	}
	return probe(filepath.Dir(file))
}

func probe(dir string) error {
	f, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
