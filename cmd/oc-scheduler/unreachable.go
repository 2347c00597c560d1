package main

import (
	"crypto/tls"
	"errors"
	"fmt"

	"oc-scheduler/client"
)

// hinted adds to an error that nobody answers, or not to us, what may be done about it.
func hinted(err error) error {
	if errors.Is(err, client.ErrUnauthorized) {
		return fmt.Errorf("%w (a token that lives: --token-file, or OC_TOKEN)", err)
	}
	if _, untrusted := errors.AsType[*tls.CertificateVerificationError](err); untrusted {
		return fmt.Errorf("%w (is it the one that is meant? --ca has a file with whom to trust)", err)
	}
	if _, ok := errors.AsType[*client.UnreachableError](err); ok {
		return fmt.Errorf("%w (is `oc-scheduler serve` running? --server)", err)
	}
	return err
}

// final tells whether trying again is of no use: the answer would be the same, or nobody would read it.
func final(err error) bool {
	_, unread := errors.AsType[*writeError](err)
	return unread || !client.Temporary(err)
}

// lost says why a connection ended, as far as it matters to somebody who waits.
func lost(err error) string {
	if closed, ok := errors.AsType[*client.ClosedError](err); ok && closed.Code == restarts {
		return "the replica restarts"
	}
	if p, ok := errors.AsType[*client.Problem](err); ok {
		return printable(p.Error())
	}
	if unreachable, ok := errors.AsType[*client.UnreachableError](err); ok && !unreachable.Asked {
		return fmt.Sprintf("no replica answers (%v)", unreachable.Err)
	}
	return "connection lost"
}

// restarts is the code by which a replica that drains closes a stream.
const restarts = 1012
