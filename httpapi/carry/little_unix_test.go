//go:build unix

package carry_test

import "syscall"

// keepLittle bounds what the kernel keeps for who reads from a socket.
func keepLittle(fd uintptr) error {
	return syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4<<10)
}
