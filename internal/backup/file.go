package backup

import (
	"archive/tar"
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

const (
	headName = "oc-scheduler-backup.json" // the first entry
	sumsName = "SHA256SUMS"               // the last one
	metaName = "/backup.json"             // ends those of a stream, as natscli calls them
	dataName = "/stream.arc.s2"

	// format is the version of the file; a program reads its own and those before.
	format = 1
	// smallEntry bounds what is read into memory.
	smallEntry = 1 << 20
)

// Head says what a file is.
type Head struct {
	Format  int       `json:"format"`
	Version string    `json:"version"` // of the program that wrote it
	MadeAt  time.Time `json:"made_at"`
}

// writer writes entries and keeps their sums.
type writer struct {
	tar  *tar.Writer
	at   time.Time
	sums strings.Builder
}

func (w *writer) add(name string, size int64, content io.Reader) error {
	err := w.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: w.at, Format: tar.FormatPAX})
	if err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(w.tar, sum), content); err != nil {
		return err
	}
	fmt.Fprintf(&w.sums, "%x  %s\n", sum.Sum(nil), name)
	return nil
}

func (w *writer) addJSON(name string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return w.add(name, int64(len(data)), strings.NewReader(string(data)))
}

func (w *writer) close() error {
	sums := w.sums.String()
	if err := w.add(sumsName, int64(len(sums)), strings.NewReader(sums)); err != nil {
		return err
	}
	return w.tar.Close()
}

// entry is one of a file that is read.
type entry struct {
	name string
	io.Reader
}

// small reads an entry that is JSON.
func (e entry) small(into any) error {
	data, err := io.ReadAll(io.LimitReader(e, smallEntry))
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

var (
	errForeign = errors.New("this is no backup of oc-scheduler")
	errBroken  = errors.New("the backup is damaged or was cut off")
)

// verify reads a file to its end: it fails with words of an operator's when the file is not ours, of a newer format, or
// not as it was written. Each entry but the sums is shown once.
func verify(f io.Reader, each func(entry) error) (Head, error) {
	var head Head
	var sums, written strings.Builder
	r := tar.NewReader(bufio.NewReaderSize(f, 1<<20))
	for first := true; ; first = false {
		h, err := r.Next()
		switch {
		case err == io.EOF && !first && sums.Len() > 0 && sums.String() == written.String():
			return head, nil
		case first && (err != nil || h.Name != headName):
			return head, errForeign
		case err != nil, sums.Len() > 0:
			return head, errBroken
		}
		sum := sha256.New()
		e := entry{h.Name, io.TeeReader(r, sum)}
		switch {
		case first:
			if e.small(&head) != nil || head.Format < 1 {
				return head, errForeign
			}
			if head.Format > format {
				return head, fmt.Errorf("the backup is of format %d, by oc-scheduler %s; this one reads up to %d: restore it with that release",
					head.Format, head.Version, format)
			}
		case h.Name == sumsName:
			if _, err := io.Copy(&sums, io.LimitReader(r, smallEntry)); err != nil {
				return head, errBroken
			}
			continue
		default:
			if err := each(e); err != nil {
				return head, err
			}
		}
		if _, err := io.Copy(io.Discard, e); err != nil {
			return head, errBroken
		}
		fmt.Fprintf(&written, "%x  %s\n", sum.Sum(nil), h.Name)
	}
}

// CreateFile writes a new file by f, which is there as a whole or not at all. It fails with fs.ErrExist when there is
// one of that name.
func CreateFile(name string, f func(io.Writer) error) (err error) {
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist})
	}
	partial := name + ".partial"
	out, err := os.OpenFile(partial, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // tokens' hashes are in it
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(partial)
		}
	}()
	err = f(out)
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Rename(partial, name)
}
