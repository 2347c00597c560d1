// Package digest names content: what is equal is named alike in every process, whatever its version. Content
// is written as bytes, texts and lists behind their lengths, so that no two contents are written alike. It is
// pure.
package digest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Digest is the name of a content.
type Digest = [16]byte

// Of names what was written.
func Of(content []byte) Digest {
	sum := sha256.Sum256(content)
	return Digest(sum[:len(Digest{})])
}

// Name is a name for several texts, which no others have.
func Name(texts ...string) string {
	sum := Of(Texts(nil, texts))
	return hex.EncodeToString(sum[:])
}

// Text writes a text.
func Text(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// Texts writes a list of texts.
func Texts(b []byte, all []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(all)))
	for _, s := range all {
		b = Text(b, s)
	}
	return b
}

// Flag writes whether something is so.
func Flag(b []byte, set bool) []byte {
	if set {
		return append(b, 1)
	}
	return append(b, 0)
}
