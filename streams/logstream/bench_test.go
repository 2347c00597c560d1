package logstream_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/logstream"
)

// BenchmarkRead reads finished output, from the disk and over a connection, beside the same bytes
// published as they are.
func BenchmarkRead(b *testing.B) {
	for name, size := range map[string]int{"100B": 100, "32KiB": 32 << 10} {
		const total = 16 << 20
		data := []byte(strings.Repeat("x", size-1) + "\n")
		files, err := logstream.NewFiles(b.TempDir(), logstream.FilesConfig{})
		if err != nil {
			b.Fatal(err)
		}
		out, err := files.Create("ex")
		if err != nil {
			b.Fatal(err)
		}
		for range total / size {
			if _, err := out.Stdout().Write(data); err != nil {
				b.Fatal(err)
			}
		}
		if err := out.Close(); err != nil {
			b.Fatal(err)
		}
		s := natstest.Start(b)
		l, err := logstream.NewListener(logstream.ListenerConfig{Conn: s.Connect(b), NodeID: node, Server: files})
		if err != nil {
			b.Fatal(err)
		}
		if err := l.Start(b.Context()); err != nil {
			b.Fatal(err)
		}
		for kind, server := range map[string]logstream.Server{"files": files, "wire": over(s.Connect(b))} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				b.SetBytes(int64(total / size * size))
				for range b.N {
					read(b, server)
				}
			})
		}
		b.Run(name+"/raw", func(b *testing.B) {
			b.SetBytes(int64(total / size * size))
			from, to := s.Connect(b), s.Connect(b)
			got := make(chan struct{})
			n := 0
			sub, err := to.Subscribe("raw", func(*nats.Msg) {
				if n++; n%(total/size) == 0 {
					got <- struct{}{}
				}
			})
			if err != nil {
				b.Fatal(err)
			}
			if err := errors.Join(sub.SetPendingLimits(-1, -1), to.Flush()); err != nil {
				b.Fatal(err)
			}
			for range b.N {
				for range total / size {
					if err := from.Publish("raw", data); err != nil {
						b.Fatal(err)
					}
				}
				<-got
			}
		})
		if err := l.Stop(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func read(b *testing.B, server logstream.Server) {
	b.Helper()
	r, err := server.OpenLog(b.Context(), logstream.Request{ExecutionID: "ex"})
	if err != nil {
		b.Fatal(err)
	}
	for {
		_, err := r.Next(b.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		b.Fatal(err)
	}
}
