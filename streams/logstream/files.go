package logstream

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"oc-scheduler/jet"
	"oc-scheduler/store/id"
)

// Files keeps the output of executions in a directory, a file for each, which one process at a time
// uses. It is a Server: output is read while it is written, and until it is swept.
type Files struct {
	dir string
	cfg FilesConfig

	full jet.Wake // wakes Run

	mu    sync.Mutex
	live  map[string]*Output // by file name: those that were created and have not ended
	grown int64              // bytes on disk that ended since the last sweep
}

var _ Server = (*Files)(nil)

// NewFiles opens a directory, which it makes when it is not there. Output that had not ended when the
// process before this one did is marked as interrupted.
func NewFiles(dir string, cfg FilesConfig) (*Files, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("log files: %w", err)
	}
	cfg.setDefaults()
	f := &Files{dir: dir, cfg: cfg, full: jet.NewWake(), live: map[string]*Output{}}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("log files: %w", err)
	}
	if err := f.repair(); err != nil {
		return nil, fmt.Errorf("log files: %w", err)
	}
	return f, nil
}

const suffix = ".log"

// fileName is one to one with the id.
func fileName(executionID string) string { return id.Name(executionID, 200) + suffix }

func (f *Files) path(name string) string { return filepath.Join(f.dir, name) }

// Create begins the output of an execution, which the caller closes. It fails with ErrExists when
// there is one already, ended or not.
func (f *Files) Create(executionID string) (*Output, error) {
	if err := id.Check(executionID); err != nil {
		return nil, fmt.Errorf("log files: %w", err)
	}
	name := fileName(executionID)
	f.mu.Lock()
	defer f.mu.Unlock()
	file, err := os.OpenFile(f.path(name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, ErrExists
	}
	if err != nil {
		return nil, fmt.Errorf("log files: %w", err)
	}
	o := &Output{files: f, name: name, file: file}
	f.live[name] = o
	return o, nil
}

// Remove forgets the output of an execution that has ended. It fails with ErrNotFound, and with
// ErrExists while it has not ended.
func (f *Files) Remove(executionID string) error {
	return f.remove(fileName(executionID))
}

func (f *Files) remove(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.live[name] != nil {
		return ErrExists
	}
	err := os.Remove(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNotFound
	}
	return err
}

// OpenLog begins to read, from now on unless it follows up to what there is now. It fails with
// ErrNotFound, or as Request.Validate does.
func (f *Files) OpenLog(_ context.Context, r Request) (Reader, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	name := fileName(r.ExecutionID)
	f.mu.Lock()
	live := f.live[name]
	file, err := os.Open(f.path(name))
	f.mu.Unlock()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("log files: %w", err)
	}
	reader, err := newFileReader(file, live, r)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("log files: %w", err), file.Close())
	}
	return reader, nil
}

// ended takes an output out of those that are written.
func (f *Files) ended(o *Output) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.live, o.name)
	if f.grown += o.size; f.grown > f.cfg.MaxTotalBytes/16 {
		f.grown = 0
		f.full.Up()
	}
}
