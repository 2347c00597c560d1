package carry

import (
	"bytes"
	"crypto/tls"
	"net"
	"reflect"
	"unsafe"
)

// hoard are the buffers of what TLS reads, which it keeps as large as they ever were: of a handshake, half as much as
// an idle WebSocket takes without TLS; of a large record, more than all else together.
type hoard [2]*bytes.Buffer

// hoardOf is that of a connection. Nobody but crypto/tls gives it; where that is not what it was, nothing is let go.
func hoardOf(conn net.Conn) (h hoard) {
	sealed, ok := conn.(*tls.Conn)
	if !ok {
		return h
	}
	for i, name := range []string{"rawInput", "hand"} {
		field := reflect.ValueOf(sealed).Elem().FieldByName(name)
		if field.IsValid() && field.Type() == reflect.TypeFor[bytes.Buffer]() {
			h[i] = (*bytes.Buffer)(unsafe.Pointer(field.UnsafeAddr()))
		}
	}
	return h
}

// release lets go of what is empty. Only who reads from the connection may call it, when he does not.
func (h hoard) release() {
	for _, b := range h {
		if b != nil && b.Len() == 0 {
			*b = bytes.Buffer{}
		}
	}
}
