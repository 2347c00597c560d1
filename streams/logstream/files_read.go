package logstream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// fileReader reads one file.
type fileReader struct {
	file  *os.File
	scan  *scanner
	from  uint64  // offset in the output
	limit int64   // what may be read of the file
	live  *Output // nil: there will be no more

	once sync.Once
	err  error // of closing
}

func newFileReader(file *os.File, live *Output, r Request) (*fileReader, error) {
	fr := &fileReader{file: file, from: r.Offset, live: live}
	if live != nil {
		fr.limit, _, _ = live.state()
	} else {
		info, err := file.Stat()
		if err != nil {
			return nil, err
		}
		fr.limit = info.Size()
	}
	var pos int64
	if r.Offset == 0 && (r.Tail > 0 || r.Fresh) {
		lines := r.Tail
		if r.Fresh {
			lines = 0
		}
		var err error
		if pos, fr.from, err = seekTail(file, fr.limit, lines); err != nil {
			return nil, err
		}
	}
	fr.scan = newScanner(file, pos)
	if !r.Follow {
		fr.live = nil
	}
	return fr, nil
}

// Next waits for the next chunk.
func (r *fileReader) Next(ctx context.Context) (Chunk, error) {
	for {
		if err := ctx.Err(); err != nil {
			return Chunk{}, err
		}
		rec, err := r.scan.next(r.limit)
		switch {
		case errors.Is(err, io.EOF):
			if err := r.wait(ctx); err != nil {
				return Chunk{}, err
			}
		case errors.Is(err, os.ErrClosed):
			return Chunk{}, ErrClosed
		case err != nil:
			return Chunk{}, err
		case rec.offset > r.from && len(rec.data) > 0:
			return r.chunk(rec), nil
		}
	}
}

// together is how long after the first what a chunk holds was written, at most.
const together = 10 * time.Millisecond

// chunk is what of a record comes after from, and what was written right after it: a program may
// write its lines one by one, they need not travel so.
func (r *fileReader) chunk(first record) Chunk {
	fresh := min(first.offset-r.from, uint64(len(first.data)))
	c := Chunk{
		Source: first.source(), Time: first.time, Offset: first.offset,
		Data: bytes.Clone(first.data[uint64(len(first.data))-fresh:]),
	}
	for {
		rec, err := r.scan.next(r.limit)
		if err != nil {
			break // Next meets it again
		}
		if rec.kind != first.kind || rec.time.Sub(first.time) > together || len(c.Data)+len(rec.data) > MaxChunk {
			r.scan.back(rec)
			break
		}
		c.Data, c.Offset = append(c.Data, rec.data...), rec.offset
	}
	r.from = c.Offset
	return c
}

// wait returns when there is more to read. It fails with io.EOF when there will be no more.
func (r *fileReader) wait(ctx context.Context) error {
	if r.live == nil {
		return io.EOF
	}
	for {
		size, ended, changed := r.live.state()
		switch {
		case size > r.limit:
			r.limit = size
			return nil
		case ended:
			return io.EOF
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Close ends the reading.
func (r *fileReader) Close() error {
	r.once.Do(func() { r.err = r.file.Close() })
	return r.err
}
