//go:build compose

package deploy_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// project names the containers of the test: a fleet that runs beside it is another's.
const project = "oc-scheduler-test"

var (
	nodes    = []string{"nats-1", "nats-2", "nats-3"}
	replicas = []string{"scheduler-1", "scheduler-2", "scheduler-3"}
)

// stack is the fleet of docker-compose.yml on ports and with passwords of its own.
type stack struct {
	t        *testing.T
	compose  []string // the command
	env      []string
	balancer string            // URL
	pages    string            // URL of the balancer for browsers
	token    string            // of an administrator; empty: not yet
	replica  map[string]string // service → URL
	nats     []string          // host:port of each node
	monitor  map[string]string // node → URL
	password map[string]string // user → password
}

// startStack brings the fleet up, and takes it down with all that it stored when the test ends.
func startStack(t *testing.T) *stack {
	t.Helper()
	s := &stack{t: t, compose: composeCommand(t), replica: map[string]string{}, monitor: map[string]string{}, password: map[string]string{}}
	s.env = append(os.Environ(), "COMPOSE_PROJECT_NAME="+project, "COMPOSE_PROFILES=", "COMPOSE_FILE=docker-compose.yml")
	for _, user := range []string{"scheduler", "bus", "demo-north", "demo-north-2", "demo-south", "route"} {
		s.password[user] = "p" + rand.Text()
		s.set(strings.ToUpper(strings.ReplaceAll(user, "-", "_"))+"_PASSWORD", s.password[user])
	}
	s.set("EDGE_NET", "10.213.72") // that of a fleet beside it is another
	s.balancer = "http://" + s.reserve("BALANCER_PORT")
	s.pages = strings.Replace("https://"+s.reserve("BALANCER_TLS_PORT"), "127.0.0.1", "localhost", 1)
	for i := range 3 {
		n := strconv.Itoa(i + 1)
		s.replica[replicas[i]] = "http://" + s.reserve("REPLICA_PORT_"+n)
		s.nats = append(s.nats, s.reserve("NATS_PORT_"+n))
		s.monitor[nodes[i]] = "http://" + s.reserve("NATS_MONITOR_"+n)
	}
	t.Cleanup(s.tearDown)
	s.run("down", "-v", "--remove-orphans")
	s.run("up", "-d", "--no-build")
	return s
}

// composeCommand finds docker-compose, or says how to get it.
func composeCommand(t *testing.T) []string {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "docker", "info").CombinedOutput(); err != nil {
		t.Fatalf("no container engine answers; `make compose-test` says how to get one: %v\n%s", err, out)
	}
	for _, command := range [][]string{{"docker", "compose"}, {"docker-compose"}} {
		if exec.CommandContext(t.Context(), command[0], slices.Concat(command[1:], []string{"version"})...).Run() == nil {
			return command
		}
	}
	t.Fatal("docker-compose is missing")
	return nil
}

func (s *stack) set(name, value string) { s.env = append(s.env, name+"="+value) }

// reserve chooses a free port of this machine for what docker-compose.yml publishes. It is below
// those of outgoing connections: the port of a killed container must stay free for its return.
func (s *stack) reserve(name string) string {
	s.t.Helper()
	for range 1000 {
		n, err := rand.Int(rand.Reader, big.NewInt(12_000))
		if err != nil {
			s.t.Fatal(err)
		}
		port := strconv.Itoa(20_000 + int(n.Int64()))
		addr := net.JoinHostPort("127.0.0.1", port)
		l, err := net.Listen("tcp", addr)
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			s.t.Fatal(err)
		}
		s.set(name, port)
		return addr
	}
	s.t.Fatal("no free port")
	return ""
}

// command runs compose in the project's directory.
func (s *stack) command(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, s.compose[0], slices.Concat(s.compose[1:], args)...)
	cmd.Dir, cmd.Env = "..", s.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (s *stack) run(args ...string) string {
	s.t.Helper()
	out, err := s.command(s.t.Context(), args...)
	if err != nil {
		s.t.Fatalf("%s %s: %v\n%s", strings.Join(s.compose, " "), strings.Join(args, " "), err, out)
	}
	return out
}

// tearDown shows the logs of a fleet that failed, and removes it.
func (s *stack) tearDown() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute) // that of the test has ended
	defer cancel()
	if s.t.Failed() {
		out, err := s.command(ctx, "logs", "--no-color", "--tail=40")
		s.t.Logf("logs of the fleet (%v):\n%s", err, out)
	}
	if out, err := s.command(ctx, "down", "-v", "--remove-orphans", "--timeout=2"); err != nil {
		s.t.Errorf("taking the fleet down: %v\n%s", err, out)
	}
}

func (s *stack) kill(service string) { s.t.Helper(); s.run("kill", "-s", "SIGKILL", service) }

// exitCode is that of a service's container which has ended.
func (s *stack) exitCode(service string) string {
	s.t.Helper()
	id := strings.TrimSpace(s.run("ps", "-a", "-q", service))
	out, err := exec.CommandContext(s.t.Context(), "docker", "inspect", "-f", "{{.State.ExitCode}}", id).CombinedOutput()
	if err != nil {
		s.t.Fatalf("docker inspect %s: %v\n%s", service, err, out)
	}
	return strings.TrimSpace(string(out))
}

// natsURLs are where a user of this machine connects.
func (s *stack) natsURLs(user string) string {
	urls := make([]string, len(s.nats))
	for i, addr := range s.nats {
		urls[i] = fmt.Sprintf("nats://%s:%s@%s", user, s.password[user], addr)
	}
	return strings.Join(urls, ",")
}

// answers tells whether a GET has a good answer.
func (s *stack) answers(url string) bool {
	status, _, _ := s.get(url)
	return status == http.StatusOK
}

// eventually waits until ok, and returns how long that took.
func (s *stack) eventually(what string, ok func() bool) time.Duration {
	s.t.Helper()
	began := time.Now()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(2 * time.Minute)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			s.t.Fatalf("%s: did not come about", what)
		}
	}
	return time.Since(began)
}
