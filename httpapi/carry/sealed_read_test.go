package carry

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/tls"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/chacha20poly1305"
	"golang.org/x/sync/errgroup"
)

// parcel is a connection whose writes wait for somebody to send them.
type parcel struct {
	*net.TCPConn
	held []byte
}

func (p *parcel) Write(b []byte) (int, error) {
	p.held = append(p.held, b...)
	return len(b), nil
}

// SetWriteDeadline does nothing: crypto/tls forbids by it to write after an end.
func (p *parcel) SetWriteDeadline(time.Time) error { return nil }

// TestNothingIsLostBeforeAnEndInPieces: crypto/tls has read a message and a part of the end that follows it, and says
// both at once.
func TestNothingIsLostBeforeAnEndInPieces(t *testing.T) {
	t.Parallel()
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		server, raw, client := sealedBy(t, &tls.Config{MaxVersion: version})
		w, p := newWire(server, time.Minute, nil), &parcel{TCPConn: raw}
		client.NetConn().(*swapped).Conn = p
		_, wrote := client.Write([]byte("message"))
		message := len(p.held)
		if err := errors.Join(wrote, client.CloseWrite(), w.SetReadDeadline(time.Now().Add(5*time.Second))); err != nil {
			t.Fatal(err)
		}
		if _, err := raw.Write(p.held[:message+1]); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 100)
		if n, err := w.Read(got); string(got[:n]) != "message" || err != nil {
			t.Errorf("%s: %q, %v", tls.VersionName(version), got[:n], err)
		}
		if _, err := raw.Write(p.held[message+1:]); err != nil {
			t.Fatal(err)
		}
		if n, err := w.Read(got); n > 0 || !errors.Is(err, io.EOF) {
			t.Errorf("%s, in the end: %q, %v", tls.VersionName(version), got[:n], err)
		}
	}
}

// TestWhatTLSMayDoInBetween, new keys and records of nothing, passes in pieces of any size, while messages go out.
func TestWhatTLSMayDoInBetween(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 7, 1000, 1 << 20} {
		secrets := new(bytes.Buffer)
		server, raw, client := sealedBy(t, &tls.Config{MinVersion: tls.VersionTLS13, KeyLogWriter: secrets})
		w, pen := newWire(server, time.Minute, nil), penOf(t, client, secrets.String())
		large := bytes.Repeat([]byte("large"), maxRecord/5)
		var sent, want []byte
		for n := range byte(4) {
			sent = slices.Concat(sent, pen.text("small"), pen.text(""), pen.newKey(n%2), pen.text(string(large)))
			want = slices.Concat(want, []byte("small"), large)
		}
		const count = 300
		answer := []byte("answer")
		var all errgroup.Group
		all.Go(func() error {
			for piece := range slices.Chunk(sent, size) {
				if _, err := raw.Write(piece); err != nil {
					return err
				}
			}
			return nil
		})
		all.Go(func() error {
			for range count {
				rest, err := w.send(pieces{answer})
				if rest != nil {
					err = rest()
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		all.Go(func() error {
			got := make([]byte, count*len(answer))
			if _, err := io.ReadFull(client, got); err != nil || !bytes.Equal(got, bytes.Repeat(answer, count)) {
				t.Errorf("in pieces of %d, the answers: %.20q, %v", size, got, err)
			}
			return nil
		})
		got := make([]byte, len(want))
		if _, err := io.ReadFull(w, got); err != nil || !bytes.Equal(got, want) {
			t.Errorf("in pieces of %d: %.20q, %v", size, got, err)
		}
		if err := all.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// TestAConnectionThatIsCutInARecord ends whoever waits for the rest of it; one that is half closed is still written to.
func TestAConnectionThatIsCutInARecord(t *testing.T) {
	t.Parallel()
	record := []byte{0x17, 3, 3, 0x40, 0, 1, 2, 3}
	for how, c := range map[string]struct {
		sent []byte
		cut  func(*net.TCPConn) error
		want error
	}{
		"dropped":            {record, func(c *net.TCPConn) error { return errors.Join(c.SetLinger(0), c.Close()) }, nil},
		"half closed":        {record, (*net.TCPConn).CloseWrite, io.ErrUnexpectedEOF},
		"closed in a header": {record[:2], (*net.TCPConn).CloseWrite, io.ErrUnexpectedEOF},
		"closed in between":  {nil, (*net.TCPConn).CloseWrite, io.EOF},
	} {
		server, raw, client := sealed(t)
		w := newWire(server, time.Minute, nil)
		if _, err := raw.Write(c.sent); err != nil {
			t.Fatal(err)
		}
		read := make(chan error, 1)
		go func() {
			_, err := w.Read(make([]byte, 10))
			read <- err
		}()
		if err := c.cut(raw); err != nil {
			t.Fatal(err)
		}
		if err := <-read; err == nil || errors.Is(err, errNotYet) || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", how, err)
		}
		if how == "dropped" {
			continue
		}
		got := make([]byte, len("answer"))
		rest, err := w.send(pieces{[]byte("answer")})
		if _, readErr := io.ReadFull(client, got); rest != nil || err != nil || readErr != nil || string(got) != "answer" {
			t.Errorf("%s: it is told %q, %v, %v", how, got, err, readErr)
		}
	}
}

// pen writes records of TLS 1.3 by hand (RFC 8446, sections 5 and 7), of which crypto/tls has no way to send some.
type pen struct {
	t      *testing.T
	hash   func() hash.Hash
	key    int // its bytes
	aead   func(key []byte) (cipher.AEAD, error)
	secret []byte
	count  uint64
}

// penOf goes on where a client's handshake ended.
func penOf(t *testing.T, client *tls.Conn, secrets string) *pen {
	t.Helper()
	p := &pen{t: t, hash: sha256.New, key: 32, aead: func(key []byte) (cipher.AEAD, error) {
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		return cipher.NewGCM(block)
	}}
	switch client.ConnectionState().CipherSuite {
	case tls.TLS_AES_128_GCM_SHA256:
		p.key = 16
	case tls.TLS_AES_256_GCM_SHA384:
		p.hash = sha512.New384
	case tls.TLS_CHACHA20_POLY1305_SHA256:
		p.aead = chacha20poly1305.New
	}
	_, line, _ := strings.Cut(secrets, "CLIENT_TRAFFIC_SECRET_0 ")
	line, _, _ = strings.Cut(line, "\n")
	var err error
	if p.secret, err = hex.DecodeString(line[strings.LastIndexByte(line, ' ')+1:]); err != nil || len(p.secret) == 0 {
		t.Fatalf("%q, %v", secrets, err)
	}
	return p
}

func (p *pen) expand(label string, n int) []byte {
	p.t.Helper()
	label = "tls13 " + label
	info := append([]byte{byte(n >> 8), byte(n), byte(len(label))}, label...)
	out, err := hkdf.Expand(p.hash, p.secret, string(append(info, 0)), n)
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

func (p *pen) record(kind byte, text []byte) []byte {
	p.t.Helper()
	aead, err := p.aead(p.expand("key", p.key))
	if err != nil {
		p.t.Fatal(err)
	}
	nonce, count := p.expand("iv", aead.NonceSize()), binary.BigEndian.AppendUint64(make([]byte, 4), p.count)
	for i := range nonce {
		nonce[i] ^= count[i]
	}
	p.count++
	n := len(text) + 1 + aead.Overhead()
	header := []byte{0x17, 3, 3, byte(n >> 8), byte(n)}
	return aead.Seal(slices.Clone(header), nonce, append(slices.Clone(text), kind), header)
}

func (p *pen) text(s string) []byte { return p.record(0x17, []byte(s)) }

// newKey announces another key; asked is 1: and asks for another one of the other end.
func (p *pen) newKey(asked byte) []byte {
	announced := p.record(0x16, []byte{24, 0, 0, 1, asked})
	p.secret, p.count = p.expand("traffic upd", p.hash().Size()), 0
	return announced
}
