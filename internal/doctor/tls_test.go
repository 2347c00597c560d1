package doctor_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/doctor"
	"oc-scheduler/internal/natstest"
)

// certificate is valid until a time, for the given address, and its own authority.
func certificate(t *testing.T, until time.Time, ip net.IP) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: until.Add(-30 * 24 * time.Hour), NotAfter: until,
		IPAddresses: []net.IP{ip}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, pool
}

func TestTLS(t *testing.T) {
	t.Parallel()
	here, now := net.IPv4(127, 0, 0, 1), time.Now()
	for name, tc := range map[string]struct {
		until   time.Time
		ip      net.IP
		trust   bool
		clients tls.ClientAuthType
		level   doctor.Level
		what    string
		mend    string
	}{
		"all is well":              {now.Add(20 * 24 * time.Hour), here, true, 0, doctor.OK, "TLS 1.3", ""},
		"it ends soon":             {now.Add(24 * time.Hour), here, true, 0, doctor.Warn, "its certificate ends in 2", "--signal reload"},
		"it has ended":             {now.Add(-time.Hour), here, true, 0, doctor.Fail, "expired", "renew"},
		"unknown authority":        {now.Add(20 * 24 * time.Hour), here, false, 0, doctor.Fail, "unknown authority", "--nats-ca"},
		"for another host":         {now.Add(20 * 24 * time.Hour), net.IPv4(192, 0, 2, 1), true, 0, doctor.Fail, "192.0.2.1", "a name that stands"},
		"clients have one as well": {now.Add(20 * 24 * time.Hour), here, true, tls.RequireAnyClientCert, doctor.Fail, "tls", "--nats-cert"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cert, pool := certificate(t, tc.until, tc.ip)
			srv := natstest.Start(t, func(o *server.Options) {
				o.TLS, o.TLSTimeout = true, 5
				o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert}, ClientAuth: tc.clients}
			})
			if !tc.trust {
				pool = x509.NewCertPool()
			}
			found := doctor.Run(t.Context(), doctor.Config{
				URLs:    []string{srv.URL()},
				Options: []nats.Option{nats.Secure(&tls.Config{MinVersion: tls.VersionTLS13, RootCAs: pool})},
			})
			if f := want(t, found, tc.level, "nats", tc.what); !holds(f.Mend, []string{tc.mend}) {
				t.Errorf("mend: %s", f.Mend)
			}
		})
	}
}
