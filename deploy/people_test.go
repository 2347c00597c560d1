//go:build compose

package deploy_test

import (
	"crypto/tls"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/tokens"
)

// strangers learn nothing, through the balancer or past it.
func (f *fleet) strangers() {
	f.t.Helper()
	for _, url := range f.doors() {
		if status, _, body := f.get(url + "/oc"); status != http.StatusUnauthorized {
			f.t.Errorf("%s tells a stranger %d %s", url, status, body)
		}
	}
}

// administer makes the token that the test shows from here on, as who has the password of the replicas can.
func (f *fleet) administer() {
	f.t.Helper()
	js, err := jetstream.New(f.connect("scheduler", "_INBOX"))
	if err != nil {
		f.t.Fatal(err)
	}
	streams, err := kv.Open(f.t.Context(), js, kv.Config{Replicas: 3, Log: slog.New(slog.DiscardHandler)}, tokens.Layout)
	if err != nil {
		f.t.Fatal(err)
	}
	of := tokens.New(streams[0].Keys(kv.BucketSpace(tokens.Bucket)))
	_, credential, err := of.Create(f.t.Context(), tokens.Draft{Name: "test", Role: access.Admin, By: "test"}, time.Now())
	if err != nil {
		f.t.Fatal(err)
	}
	f.token = credential.Reveal()
	f.eventually("every replica knows the token", func() bool {
		for _, url := range f.doors() {
			if !f.answers(url + "/whoami") {
				return false
			}
		}
		return true
	})
}

// people log in with it on the pages, by HTTPS alone.
func (f *fleet) people() {
	f.t.Helper()
	client := &http.Client{
		Timeout:       15 * time.Second,
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}, // the balancer's own
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	for site, cookie := range map[string]string{f.pages: "__Host-oc=", f.balancer: ""} {
		form := strings.NewReader(url.Values{"token": {f.token}}.Encode())
		r, err := http.NewRequestWithContext(f.t.Context(), http.MethodPost, site+"/ui/login", form)
		if err != nil {
			f.t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", site)
		answer, err := client.Do(r)
		if err != nil {
			f.t.Fatal(err)
		}
		if set := answer.Header.Get("Set-Cookie"); !strings.HasPrefix(set, cookie) || (set == "") != (cookie == "") {
			f.t.Errorf("who logs in at %s is answered %s and given %q", site, answer.Status, set)
		}
		if err := answer.Body.Close(); err != nil {
			f.t.Fatal(err)
		}
	}
}
