package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoFileIsLeftOutByItsName: one whose name ends in another system or processor is built there alone, and a test in
// it never runs. Linux is meant where it stands.
func TestNoFileIsLeftOutByItsName(t *testing.T) {
	t.Parallel()
	list, err := exec.CommandContext(t.Context(), "go", "tool", "dist", "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	means := map[string]bool{}
	for _, word := range strings.FieldsFunc(string(list), func(r rune) bool { return r == '/' || r == '\n' }) {
		means[word] = word != "linux"
	}
	if !means["js"] || !means["arm64"] {
		t.Fatalf("%s", list)
	}
	files := 0
	err = fs.WalkDir(os.DirFS(root), ".", func(path string, _ fs.DirEntry, err error) error {
		name, is := strings.CutSuffix(filepath.Base(path), ".go")
		if err != nil || !is {
			return err
		}
		files++
		parts := strings.Split(strings.TrimSuffix(name, "_test"), "_")
		for _, part := range parts[max(1, len(parts)-2):] {
			if means[part] {
				t.Errorf("%s is built for %s alone", path, part)
			}
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, %v", files, err)
	}
}
