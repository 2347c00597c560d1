package main

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"oc-scheduler/internal/fleettest"
	"oc-scheduler/internal/natstest"
)

// secret marks what no output may hold.
const secret = "s3cr3t"

// carriers are the flags into which somebody may write a password or a token.
var carriers = []string{"nats-url", "nats-monitor", "server", "allow-origin"}

// spoken is what a program has said so far.
type spoken struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *spoken) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *spoken) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// urls are addresses with a secret: of servers that take it, that do not, that are not there, and what is
// no address.
func urls(t *testing.T) map[string]string {
	t.Helper()
	takes := natstest.Start(t, func(o *server.Options) { o.Username, o.Password = "oc", secret })
	asks := natstest.Start(t, func(o *server.Options) { o.Authorization = "another" })
	replica := startSite(t)
	host := func(url string) string { _, h, _ := strings.Cut(url, "://"); return h }
	return map[string]string{
		"takes":       "nats://oc:" + secret + "@" + takes.Addr(),
		"refuses":     "nats://" + secret + "@" + asks.Addr(),
		"no scheme":   secret + "@" + asks.Addr(),
		"unreachable": "nats://" + secret + "@127.0.0.1:1",
		"nowhere":     "nats://oc:" + secret + "@nowhere.invalid:4222",
		"two":         "nats://oc:" + secret + "@127.0.0.1:1,nats://" + secret + "@127.0.0.1:2",
		"bad port":    "nats://oc:" + secret + "@127.0.0.1:port",
		"at, slash":   "nats://oc:x@" + secret + "/y@127.0.0.1:1",
		"number sign": "nats://" + secret + "#x@127.0.0.1:1",
		"a space":     "nats://oc:" + secret + " x@127.0.0.1:1",
		"scheme":      "ftp://oc:" + secret + "@127.0.0.1:1",
		"replica":     "http://oc:" + secret + "@" + host(replica.url),
		"no replica":  "http://" + secret + "@127.0.0.1:1",
		"no HTTP":     "http://oc:" + secret + "@" + asks.Addr(),
	}
}

// connecting are the commands that reach NATS or a replica each in its own way; the others share one.
var connecting = []string{"serve", "peer", "doctor", "check"}

// TestNothingSecretIsTold runs each command with a secret in each flag that may carry one, and behind the
// flags, where none belongs. Those that share their connection share the addresses among them.
func TestNothingSecretIsTold(t *testing.T) {
	t.Parallel()
	addresses := urls(t)
	names := slices.Sorted(maps.Keys(addresses))
	for turn, leaf := range leaves(t) {
		words := strings.Fields(leaf.FullPath())[1:]
		args := slices.Clone(words)
		for _, arg := range leaf.Positional {
			if value := "wf"; arg.Required {
				if arg.Enum != "" {
					value = "demo-north"
				}
				args = append(args, value)
			}
		}
		if words[0] == "peer" {
			args = append(args, "--config", "demo-north.yaml")
		}
		for i, name := range names {
			if !slices.Contains(connecting, words[0]) && (i+turn)%5 > 0 {
				continue
			}
			address := addresses[name]
			cases := map[string][]string{"astray": append(slices.Clone(args), address)}
			for _, flag := range leaf.Flags {
				if slices.Contains(carriers, flag.Name) {
					cases[flag.Name] = append(slices.Clone(args), "--"+flag.Name+"="+address)
				}
			}
			for flag, line := range cases {
				t.Run(words[len(words)-1]+" "+flag+" "+name, func(t *testing.T) {
					t.Parallel()
					keepsSecrets(t, words[0], line)
				})
			}
		}
	}
}

// keepsSecrets runs a command, a service until it has said how it stands with NATS.
func keepsSecrets(t *testing.T, command string, args []string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dir := t.TempDir()
	env := map[string]string{"OC_LOG_LEVEL": "debug", "OC_LISTEN": "127.0.0.1:0", "OC_NATS_LISTEN": "off", "OC_DATA_DIR": dir, "OC_DRAIN_GRACE": "0s"}
	switch command {
	case "logs", "check":
		ctx, cancel = context.WithTimeout(ctx, patience/40) // it would wait for a replica for long
		defer cancel()
	case "serve", "demo":
		env["OC_LISTEN_FILE"] = filepath.Join(dir, "http")
	}
	var said spoken
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		run(ctx, args, lookupIn(env), &said, &said)
	}()
	has := func() bool {
		select {
		case <-ended:
			return true
		default:
		}
		return slices.ContainsFunc([]string{`"msg":"ready"`, "out of reach", "refused", "retrying", "trying again", `"msg":"not connected"`, `"msg":"connected`, "Authorization"}, func(sign string) bool {
			return strings.Contains(said.String(), sign)
		})
	}
	eventually(t, strings.Join(args, " ")+" says how it stands", has)
	if at, err := os.ReadFile(env["OC_LISTEN_FILE"]); err == nil {
		for _, path := range []string{"/readyz?verbose", "/metrics"} {
			if a := fleettest.Send(t.Context(), http.MethodGet, "http://"+string(at)+path, nil); bytes.Contains(a.Body, []byte(secret)) {
				t.Errorf("%s of %q:\n%s", path, args, a.Body)
			}
		}
	}
	cancel()
	<-ended
	if text := said.String(); strings.Contains(text, secret) || text == "" && command != "logs" {
		t.Errorf("%q:\n%s", args, text)
	}
}
