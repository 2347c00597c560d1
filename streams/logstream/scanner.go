package logstream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// scanner reads records one after the other, and those of a file that grows.
type scanner struct {
	file  io.ReaderAt
	pos   int64  // of the next record
	space []byte // what was read of the file
	start int    // in space, of the next record
}

func newScanner(file io.ReaderAt, pos int64) *scanner {
	return &scanner{file: file, pos: pos, space: make([]byte, 0, recordFrame+MaxChunk)}
}

// next reads a record that ends at limit at the latest. Its data is valid until the next call. It
// fails with io.EOF at limit, and with errTorn; then it stays where it is.
func (s *scanner) next(limit int64) (record, error) {
	if s.pos == limit {
		return record{}, io.EOF
	}
	if err := s.fill(recordFrame, limit); err != nil {
		return record{}, err
	}
	length, err := dataLength(s.space[s.start:])
	if err != nil {
		return record{}, err
	}
	if err := s.fill(recordFrame+length, limit); err != nil {
		return record{}, err
	}
	r, err := parseRecord(s.space[s.start:])
	if err == nil {
		s.pos += r.size()
		s.start += int(r.size())
	}
	return r, err
}

// back goes back before the record that next has just returned.
func (s *scanner) back(r record) {
	s.pos -= r.size()
	s.start -= int(r.size())
}

// fill has at least n bytes in space from start on.
func (s *scanner) fill(n int, limit int64) error {
	if len(s.space)-s.start >= n {
		return nil
	}
	room := min(int64(cap(s.space)), limit-s.pos)
	if room < int64(n) {
		return errTorn
	}
	got, err := s.file.ReadAt(s.space[:room], s.pos)
	s.space, s.start = s.space[:got], 0
	switch {
	case got >= n:
		return nil
	case errors.Is(err, io.EOF):
		return errTorn
	}
	return err
}

// lastRecord reads the record that ends at limit. It fails with errTorn.
func lastRecord(file io.ReaderAt, limit int64) (record, error) {
	if limit < recordFrame {
		return record{}, errTorn
	}
	var tail [recordTail]byte
	if _, err := file.ReadAt(tail[:], limit-recordTail); err != nil {
		return record{}, fmt.Errorf("read backwards: %w", err)
	}
	size := int64(binary.BigEndian.Uint32(tail[:])) + recordFrame
	if size > min(limit, recordFrame+MaxChunk) {
		return record{}, errTorn
	}
	whole := make([]byte, size)
	if _, err := file.ReadAt(whole, limit-size); err != nil {
		return record{}, fmt.Errorf("read backwards: %w", err)
	}
	r, err := parseRecord(whole)
	if err == nil && r.size() != size {
		err = errTorn
	}
	return r, err
}

// seekTail finds the last lines of a file: the position of a record, and the offset in the output,
// within it, from which to read. It reads no more of the file than they take.
func seekTail(file io.ReaderAt, limit int64, lines int) (pos int64, offset uint64, err error) {
	ended := false // the last byte of output, which may end the last line, was seen
	for pos = limit; pos > 0; {
		r, err := lastRecord(file, pos)
		if err != nil {
			return 0, 0, err
		}
		if lines == 0 {
			return pos, r.offset, nil
		}
		pos -= r.size()
		for end := len(r.data); end > 0; {
			search := r.data[:end]
			if !ended {
				search, ended = r.data[:end-1], true
			}
			end = bytes.LastIndexByte(search, '\n')
			if end < 0 {
				break
			}
			if lines--; lines == 0 {
				return pos, r.offset - uint64(len(r.data)-end-1), nil
			}
		}
	}
	return 0, 0, nil
}
