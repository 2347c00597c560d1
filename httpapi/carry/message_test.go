package carry

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestMessageHeaders(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]string{ // of each length form the ends (RFC 6455, section 5.2)
		maxPiece + 1: "\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x01",
		1:            "\x81\x01",
		125:          "\x81\x7d",
		126:          "\x81\x7e\x00\x7e",
		1<<16 - 1:    "\x81\x7e\xff\xff",
		1 << 16:      "\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x00",
	} {
		var m messages
		text := strings.Repeat("x", size)
		message := m.of([]byte(text))
		if got := slices.Concat(message[:]...); string(got) != want+text {
			t.Errorf("%d bytes begin with %x", size, got[:min(len(got), 10)])
		}
	}
}

func TestAFrameIsOneMessageForAll(t *testing.T) {
	t.Parallel()
	var m messages
	first, second := []byte("frame"), []byte("frame")
	a := m.of(first)[0]
	if b := m.of(first)[0]; &a[0] != &b[0] {
		t.Error("the same frame was made a message twice")
	}
	if b := m.of(second)[0]; &a[0] == &b[0] || !bytes.Equal(a, b) {
		t.Error("another frame is not told apart")
	}
	if large := make([]byte, maxPiece+1); &m.of(large)[1][0] != &large[0] {
		t.Error("a large frame is copied for each client")
	}
}
