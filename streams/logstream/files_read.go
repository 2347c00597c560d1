package logstream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sync"
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
	if r.Offset == 0 && r.Tail > 0 {
		var err error
		if pos, fr.from, err = seekTail(file, fr.limit, r.Tail); err != nil {
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

// chunk is what of a record comes after from.
func (r *fileReader) chunk(rec record) Chunk {
	fresh := min(rec.offset-r.from, uint64(len(rec.data)))
	r.from = rec.offset
	return Chunk{
		Source: rec.source(), Time: rec.time, Offset: rec.offset,
		Data: bytes.Clone(rec.data[uint64(len(rec.data))-fresh:]),
	}
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
