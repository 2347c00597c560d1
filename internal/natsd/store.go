package natsd

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	probeFile = "probe"
	probeSize = 64 << 10
	// room is what has to be free before the server is started: more than it is stopped for, so that it
	// does not come and go with every planner.
	room = 1 << 20
)

// store is the directory that a server keeps its data in.
type store struct {
	path string
	lock *os.File    // held while the directory is ours
	data os.FileInfo // of what the server has made in it; nil before
}

var errGone = errors.New("was removed or replaced under the server, and what it held with it")

// claim makes the directory ours, or says who it may belong to, and tries whether there is room.
func (d *store) claim() (err error) {
	if err := os.MkdirAll(d.path, 0o700); err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	d.lock, err = lock(d.path)
	if errors.Is(err, errLocked) {
		return d.about(err)
	}
	if err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	return d.try(room)
}

// release gives the directory back.
func (d *store) release() {
	if d.lock != nil {
		_ = d.lock.Close() // which unlocks; there is nothing to lose in the file
	}
	d.lock, d.data = nil, nil
}

// remember notes what the server has made in the directory.
func (d *store) remember(data string) (err error) {
	if d.data, err = os.Stat(data); err != nil {
		return d.about(bare(err))
	}
	return nil
}

// check says what is wrong with a directory that is ours: one that cannot be written, and one that is
// not there any more. Files that are open would go on as if nothing had happened.
func (d *store) check() error {
	held, err := d.lock.Stat()
	if err != nil {
		return d.about(bare(err))
	}
	for name, own := range map[string]os.FileInfo{lockFile: held, "jetstream": d.data} {
		stands, err := os.Stat(filepath.Join(d.path, name))
		switch {
		case own == nil:
		case errors.Is(err, fs.ErrNotExist), err == nil && !os.SameFile(stands, own):
			return d.about(errGone)
		case err != nil:
			return d.about(bare(err))
		}
	}
	return d.try(probeSize)
}

// try writes so many bytes into the directory, and leaves nothing there.
func (d *store) try(bytes int) error {
	if err := d.write(bytes); err != nil {
		return d.about(fmt.Errorf("cannot be written: %w", bare(err)))
	}
	return nil
}

func (d *store) write(bytes int) error {
	block := make([]byte, probeSize)
	_, _ = rand.Read(block) // zeros might take no room; it never fails
	f, err := os.OpenFile(filepath.Join(d.path, probeFile), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	for ; bytes > 0 && err == nil; bytes -= len(block) {
		_, err = f.Write(block)
	}
	for _, next := range []error{f.Close(), os.Remove(f.Name())} {
		if err == nil {
			err = next
		}
	}
	return err
}

func (d *store) about(err error) error { return fmt.Errorf("data directory %s %w", d.path, err) }

// bare is an error without the path of a file that no operator knows.
func bare(err error) error {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return of.Err
	}
	return err
}
