//go:build page

package httpapi_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// The rules of accessibility come from a package that a browser runs. It is fetched once, with npm, checked against
// its sum, and kept in the user's cache: the repository has only what its authors wrote.
const (
	axePackage = "axe-core-4.14.1.tgz"
	axeSum     = "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
)

var axeScript = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "oc-scheduler")
	kept := filepath.Join(folder, axePackage)
	packed, err := os.ReadFile(kept)
	if err != nil || !isAxe(packed) {
		if packed, err = fetchAxe(folder); err != nil {
			return "", err
		}
	}
	return scriptOf(packed)
})

// fetchAxe brings the package into a folder, whole or not at all.
func fetchAxe(folder string) (packed []byte, err error) {
	if _, err := exec.LookPath("npm"); err != nil {
		return nil, errors.New("npm is missing: it fetches " + axePackage + " once; install Debian's package of that name")
	}
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return nil, err
	}
	apart, err := os.MkdirTemp(folder, "fetch")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(apart)) }()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if said, err := exec.CommandContext(ctx, "npm", "pack", "axe-core@4.14.1", "--ignore-scripts", "--pack-destination", apart).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm pack: %w\n%s", err, said)
	}
	fetched := filepath.Join(apart, axePackage)
	if packed, err = os.ReadFile(fetched); err != nil {
		return nil, err
	}
	if !isAxe(packed) {
		return nil, errors.New("what npm fetched is not " + axePackage)
	}
	return packed, os.Rename(fetched, filepath.Join(folder, axePackage))
}

func isAxe(packed []byte) bool {
	sum := sha512.Sum512(packed)
	return base64.StdEncoding.EncodeToString(sum[:]) == axeSum
}

func scriptOf(packed []byte) (string, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", err
	}
	for files := tar.NewReader(unzipped); ; {
		file, err := files.Next()
		if err != nil {
			return "", err
		}
		if file.Name == "package/axe.min.js" {
			script, err := io.ReadAll(io.LimitReader(files, 4<<20))
			return string(script), err
		}
	}
}

// accessible holds the page against the rules of WCAG 2.2 AA and of good practice.
func (b *tab) accessible(t *testing.T, view string) {
	t.Helper()
	script, err := axeScript()
	if err != nil {
		t.Fatal(err)
	}
	reads[bool](b, script+"; true")
	reads[bool](b, `window.found = null; axe.run(document, { resultTypes: ['violations'] }).then(
		(r) => { window.found = r.violations.map((v) => v.id + ': ' + v.help + '\n' + v.nodes.map((n) => '  ' + n.target + ' ' + n.failureSummary).join('\n')); },
		(e) => { window.found = [String(e)]; }); true`)
	b.becomes(`window.found !== null`)
	for _, finding := range reads[[]string](b, `window.found`) {
		t.Errorf("%s: %s", view, finding)
	}
}
