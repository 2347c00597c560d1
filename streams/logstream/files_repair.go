package logstream

import (
	"errors"
	"io"
	"os"
	"strings"
)

// repair ends the output that nobody writes any more.
func (f *Files) repair() error {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		if err := f.repairFile(e.Name()); err != nil {
			f.cfg.Logger.Error("output that was interrupted can't be marked so", "file", e.Name(), "error", err)
		}
	}
	return nil
}

func (f *Files) repairFile(name string) error {
	file, err := os.OpenFile(f.path(name), os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	if last, err := lastRecord(file, info.Size()); err == nil && last.kind == kindEnd {
		return file.Close()
	}
	o := &Output{files: f, name: name, file: file}
	if err := o.recover(info.Size()); err != nil {
		return errors.Join(err, file.Close())
	}
	o.noteLocked("the node ended before this execution did")
	return o.Close()
}

// recover goes to the end of the last whole record, and cuts off what comes after it. Nobody else
// knows o yet.
func (o *Output) recover(size int64) error {
	scan := newScanner(o.file, 0)
	for {
		r, err := scan.next(size)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, errTorn):
			return o.file.Truncate(o.size)
		case err != nil:
			return err
		}
		o.size, o.offset = scan.pos, r.offset
		if len(r.data) > 0 {
			o.midLine = r.data[len(r.data)-1] != '\n'
		}
	}
}
