package logstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

const sweepInterval = 10 * time.Minute

// Run sweeps now, every ten minutes, and whenever a sixteenth of MaxTotalBytes has come, until ctx
// ends; then it returns nil.
func (f *Files) Run(ctx context.Context) error {
	tick := f.cfg.Clock.NewTicker(sweepInterval)
	defer tick.Stop()
	for {
		if err := f.Sweep(); err != nil {
			f.cfg.Logger.WarnContext(ctx, "old output can't be removed", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.Chan():
		case <-f.full:
		}
	}
}

// Sweep removes output that ended longer ago than MaxAge, and then the oldest until all is within
// MaxTotalBytes. What has not ended stays; who reads what is removed reads on.
func (f *Files) Sweep() error {
	found, total, err := f.list()
	if err != nil {
		return fmt.Errorf("log files: %w", err)
	}
	slices.SortFunc(found, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	eldest := f.cfg.Clock.Now().Add(-f.cfg.MaxAge)
	var errs []error
	for _, info := range found {
		if total <= f.cfg.MaxTotalBytes && !info.ModTime().Before(eldest) {
			break
		}
		switch err := f.remove(info.Name()); {
		case err == nil, errors.Is(err, ErrNotFound):
			total -= info.Size()
		case !errors.Is(err, ErrExists):
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (f *Files) list() (found []fs.FileInfo, total int64, err error) {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, 0, err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(e.Name(), suffix) {
			continue // gone since, or not ours
		}
		found = append(found, info)
		total += info.Size()
	}
	return found, total, nil
}
