package app_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"oc-scheduler/internal/app"
	"oc-scheduler/internal/natstest"
)

// TestPasswordStaysSecret holds that a password in a URL is used, and shows nowhere.
func TestPasswordStaysSecret(t *testing.T) {
	t.Parallel()
	nats := natstest.Start(t, func(o *server.Options) { o.Username, o.Password = "user", "s3cret" })
	c := on(nats)
	c.NATSURL[0] = strings.Replace(c.NATSURL[0], "nats://", "nats://user:s3cret@", 1)
	var log bytes.Buffer
	replica, err := app.New(t.Context(), c, slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- replica.Run(ctx) }()
	until(t, "ready", func() bool { return isClosed(replica.Ready()) })
	nats.Restart(t)
	until(t, "ready again", func() bool {
		status, _ := (&running{Replica: replica}).status(t, "/readyz")
		return status == 200
	})
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if log.Len() == 0 || strings.Contains(log.String(), "s3cret") {
		t.Errorf("the log is empty or shows the password:\n%s", log.String())
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// TestMutualTLS holds that --nats-ca, --nats-cert and --nats-key reach a server that insists on them.
func TestMutualTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ca, client := certify(t, dir)
	nats := natstest.Start(t, func(o *server.Options) {
		o.TLS, o.TLSTimeout = true, 5
		o.TLSConfig = &tls.Config{
			MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{client},
			ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: ca,
		}
	})
	c := on(nats)
	c.NATSCA, c.NATSCert, c.NATSKey = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	start(t, c).awaitReady(t)
}

// certify writes cert.pem and key.pem of a certificate that is its own authority, for both ends.
func certify(t *testing.T, dir string) (*x509.CertPool, tls.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
	for name, data := range map[string][]byte{"cert.pem": certPEM, "key.pem": keyPEM} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(certPEM)
	return pool, pair
}
