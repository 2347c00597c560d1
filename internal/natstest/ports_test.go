package natstest

import (
	"net"
	"os"
	"testing"
)

// TestAShareOfThePortsHasOneOwner, whatever the numbers of the processes.
func TestAShareOfThePortsHasOneOwner(t *testing.T) {
	t.Parallel()
	own, err := ownShare()
	if err != nil {
		t.Fatal(err)
	}
	other, err := takeShare(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	if other.Addr().String() == own.Addr().String() {
		t.Errorf("%v is taken twice", other.Addr())
	}
	first := own.Addr().(*net.TCPAddr).Port
	for _, port := range freePorts(t, 20) {
		if port <= first || port >= first+share {
			t.Errorf("port %d is not of the share of %d", port, first)
		}
	}
}
