//go:build !unix || solaris || illumos || aix

package natsd

import (
	"os"
	"path/filepath"
)

// lock keeps nobody out where advisory locks are not at hand.
func lock(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
}
