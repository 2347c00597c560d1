package logstream

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/streams/envelope"
)

// TestAFailingDiskCutsTheOutput holds that an execution does not end because its output can't be
// kept, and that this is told.
func TestAFailingDiskCutsTheOutput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files, err := NewFiles(dir, FilesConfig{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := files.Create("ex")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(out.Stdout(), "kept\n"); err != nil {
		t.Fatal(err)
	}
	full := out.file
	if out.file, err = os.Open(full.Name()); err != nil { // which can't be written to
		t.Fatal(err)
	}
	for range 2 {
		if n, err := io.WriteString(out.Stderr(), "lost\n"); n != 5 || err != nil {
			t.Errorf("wrote %d, %v", n, err)
		}
	}
	if err := out.file.Close(); err != nil {
		t.Fatal(err)
	}
	out.file = full // there is room again
	if err := out.Close(); err == nil {
		t.Error("nobody is told")
	}
	r, err := files.OpenLog(t.Context(), Request{ExecutionID: "ex", Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	var got []byte
	for {
		c, err := r.Next(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, c.Data...)
	}
	if !strings.HasPrefix(string(got), "kept\n[the disk") {
		t.Errorf("read %q", got)
	}
}

// TestHalfARecordIsTakenBack holds that what a failing disk took of a record does not stay.
func TestHalfARecordIsTakenBack(t *testing.T) {
	t.Parallel()
	files, err := NewFiles(t.TempDir(), FilesConfig{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := files.Create("ex")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	if _, err := io.WriteString(out.Stdout(), "kept\n"); err != nil {
		t.Fatal(err)
	}
	whole, path := out.size, out.file.Name()
	if err := out.file.Close(); err != nil {
		t.Fatal(err)
	}
	if out.file, err = os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0); err != nil { // which WriteAt refuses
		t.Fatal(err)
	}
	if _, err := out.file.WriteString("half a record"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(out.Stdout(), "lost\n"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != whole {
		t.Errorf("%d bytes are left of %d, %v", info.Size(), whole, err)
	}
}

// TestADamagedRecordIsNone holds that no byte of a record can change unseen.
func TestADamagedRecordIsNone(t *testing.T) {
	t.Parallel()
	good := appendRecord(nil, record{kind: kindStdout, time: time.Unix(1, 2), offset: 99, data: []byte("text")})
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 3
		if r, err := parseRecord(bad); !errors.Is(err, errTorn) {
			t.Errorf("byte %d changed: %+v, %v", i, r, err)
		}
	}
}

// FuzzRecord holds that what is read as a record is what would be written as one.
func FuzzRecord(f *testing.F) {
	good := appendRecord(nil, record{kind: kindStderr, time: time.Unix(1, 2), offset: 9, data: []byte("text")})
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add(append([]byte("x"), good...))
	f.Add(appendRecord(nil, record{kind: kindEnd, time: time.Unix(0, 0)}))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := parseRecord(data)
		if err == nil && !bytes.HasPrefix(data, appendRecord(nil, r)) {
			t.Errorf("%x is read as %+v", data, r)
		}
		scan, n := newScanner(bytes.NewReader(data), 0), 0
		for {
			if _, err := scan.next(int64(len(data))); err != nil {
				break
			}
			n++
		}
		if err == nil && n == 0 {
			t.Error("the scanner sees no record")
		}
		_, _ = lastRecord(bytes.NewReader(data), int64(len(data)))
		_, _, _ = seekTail(bytes.NewReader(data), int64(len(data)), 3)
	})
}

// FuzzAnswer holds that whatever a node sends is handed on in order, or is an error, and never takes
// more room than there is.
func FuzzAnswer(f *testing.F) {
	codec, err := newCodec()
	if err != nil {
		f.Fatal(err)
	}
	for _, payload := range []any{alive{}, Chunk{Source: Stdout, Data: []byte("x"), Offset: 1}, ending{Code: codeEnd}, ending{Code: codeBusy}} {
		encoded, err := codec.Registry.Serialize(&envelope.Message{Payload: payload})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(encoded.Type, uint64(1), encoded.Payload)
	}
	f.Add("LogChunk", uint64(1), []byte(`{"source":"stderr","data":"eA==","offset":18446744073709551615}`))
	f.Fuzz(func(t *testing.T, kind string, sequence uint64, body []byte) {
		m, err := codec.Registry.Deserialize(&envelope.EncodedMessage{
			Header: envelope.Header{Type: kind, Sequence: sequence}, Payload: body,
		})
		if err != nil {
			return
		}
		c := Client{Clock: clockwork.NewRealClock()}
		c.setDefaults()
		s := &session{remote: newRemote(c, codec, "node", Request{ExecutionID: "ex", Follow: true})}
		s.announced = s.allowed()
		for range 3 {
			before := s.request.Offset
			if err := s.accept(m); err != nil {
				return
			}
			if len(s.chunks) > 1 || s.request.Offset < before {
				t.Fatalf("%d chunks, offset %d after %d", len(s.chunks), s.request.Offset, before)
			}
		}
	})
}
