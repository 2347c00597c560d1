package calendar

import (
	"archive/zip"
	"bytes"
	_ "embed" // the zones
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// The database as the Go distribution has it, which is in the public domain.
//
//go:generate sh -c "cp $(go env GOROOT)/lib/time/zoneinfo.zip ."
//go:embed zoneinfo.zip
var database []byte

// ErrZone is wrapped by every error of Zone.
var ErrZone = errors.New("unknown time zone")

// zones are the files of the database by name.
var zones = sync.OnceValue(func() map[string]*zip.File {
	r, err := zip.NewReader(bytes.NewReader(database), int64(len(database)))
	if err != nil {
		panic("calendar: the embedded zones: " + err.Error())
	}
	files := make(map[string]*zip.File, len(r.File))
	for _, f := range r.File {
		if !f.FileInfo().IsDir() {
			files[f.Name] = f
		}
	}
	return files
})

// Zone is the time zone of an IANA name such as Europe/Paris, in its exact case. It fails, wrapping
// ErrZone, for any other name, the empty one and Local among them.
func Zone(name string) (*time.Location, error) {
	f := zones()[name]
	if f == nil {
		return nil, fmt.Errorf("%w: %q is no IANA name such as Europe/Paris or UTC, upper and lower case count", ErrZone, shorten(name))
	}
	data, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrZone, err)
	}
	return time.LoadLocationFromTZData(name, data)
}

func read(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	return data, errors.Join(err, r.Close())
}
