package app

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"os"
	"sync/atomic"
	"time"
)

// certificateEvery is the time between two looks at the files.
const certificateEvery = time.Second

// certificate is the server's, in files that may change while it serves: with both in place, the new pair serves
// whoever comes next.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	serving atomic.Pointer[tls.Certificate]
	seen    [2][]byte // what the files held last, fitting or not
}

// loadCertificate reads a pair that has to fit.
func loadCertificate(certFile, keyFile string, log *slog.Logger) (*certificate, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile, log: log}
	_, err := c.load()
	return c, err
}

// load reads the files again; changed says that they hold something else than before.
func (c *certificate) load() (changed bool, err error) {
	cert, err := os.ReadFile(c.certFile)
	key, errKey := os.ReadFile(c.keyFile)
	if err = errors.Join(err, errKey); err == nil && bytes.Equal(cert, c.seen[0]) && bytes.Equal(key, c.seen[1]) {
		return false, nil
	}
	c.seen = [2][]byte{cert, key}
	if err != nil {
		return true, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return true, err
	}
	c.serving.Store(&pair)
	return true, nil
}

// watch looks at the files until ctx ends. A pair that does not fit, as while one file is new and the other is not
// yet, is logged once, and the one before serves.
func (c *certificate) watch(ctx context.Context) error {
	tick := time.NewTicker(certificateEvery)
	defer tick.Stop()
	told := ""
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		switch changed, err := c.load(); {
		case err != nil && err.Error() != told:
			told = err.Error()
			c.log.ErrorContext(ctx, "the new certificate and key do not fit, those before serve on", "cert", c.certFile, "key", c.keyFile, "error", err)
		case err == nil && changed:
			told = ""
			c.log.InfoContext(ctx, "a new certificate serves", "cert", c.certFile)
		}
	}
}

// config is for a server.
func (c *certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		// Small records show a browser the beginning of a page sooner; of a stream each would be a call more.
		DynamicRecordSizingDisabled: true,
		GetCertificate:              func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.serving.Load(), nil },
	}
}
