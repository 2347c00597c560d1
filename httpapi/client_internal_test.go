package httpapi

import "testing"

func TestAnIPv6ClientIsItsNetwork(t *testing.T) {
	t.Parallel()
	if networkOf("[2001:db8::1]:80") != networkOf("[2001:db8::ffff:2%eth0]:81") || networkOf("[2001:db8::1]:80") == networkOf("[2001:db8:0:1::1]:80") {
		t.Error("clients are not told apart by their /64")
	}
	if networkOf("192.0.2.1:80") == networkOf("192.0.2.2:80") || networkOf("192.0.2.1:80") != networkOf("[::ffff:192.0.2.1]:81") || networkOf("@") != networkOf("") {
		t.Error("IPv4 addresses are one client each, and what is none is one together")
	}
}
