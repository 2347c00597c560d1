package natstest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// settingsVariable makes a test binary a NATS server: its value is the server's settings.
const settingsVariable = "NATSTEST_SERVER"

const (
	readyLine = "ready\n"
	stopLine  = "stop\n"
)

// settings are the options of a server that can be handed to another process.
type settings struct {
	Name, StoreDir     string
	Port, MonitorPort  int
	Cluster, Advertise string
	NoAdvertise        bool
	ClusterPort        int
	Routes             []string
	SyncAlways         bool
	MaxPayload         int32
	MaxCatchup         int64
	Username, Password string
}

func settingsOf(o server.Options) settings {
	s := settings{
		Name: o.ServerName, StoreDir: o.StoreDir, Port: o.Port, MonitorPort: o.HTTPPort,
		Cluster: o.Cluster.Name, Advertise: o.Cluster.Advertise, NoAdvertise: o.Cluster.NoAdvertise, ClusterPort: o.Cluster.Port,
		SyncAlways: o.SyncAlways, MaxPayload: o.MaxPayload, MaxCatchup: o.JetStreamMaxCatchup, Username: o.Username, Password: o.Password,
	}
	for _, r := range o.Routes {
		s.Routes = append(s.Routes, r.String())
	}
	return s
}

func (s settings) options() (*server.Options, error) {
	o := &server.Options{
		ServerName: s.Name, StoreDir: s.StoreDir, Host: "127.0.0.1", Port: s.Port, JetStream: true,
		HTTPHost: "127.0.0.1", HTTPPort: s.MonitorPort, SyncAlways: s.SyncAlways, MaxPayload: s.MaxPayload,
		JetStreamMaxCatchup: s.MaxCatchup, Username: s.Username, Password: s.Password, NoLog: true, NoSigs: true,
	}
	if s.Cluster != "" {
		o.Cluster = server.ClusterOpts{
			Name: s.Cluster, Host: "127.0.0.1", Port: s.ClusterPort, Advertise: s.Advertise, NoAdvertise: s.NoAdvertise,
		}
	}
	for _, r := range s.Routes {
		u, err := url.Parse(r)
		if err != nil {
			return nil, err
		}
		o.Routes = append(o.Routes, u)
	}
	return o, nil
}

// ServeIfAsked makes this process a NATS server when another test has started it as one; then it
// does not return. VerifyTestMain calls it; a TestMain of another kind has to, before all else.
func ServeIfAsked() {
	text, asked := os.LookupEnv(settingsVariable)
	if !asked {
		return
	}
	if err := serve([]byte(text)); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "natstest:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve runs a server until it is told to stop, or whoever started it has gone.
func serve(text []byte) error {
	var s settings
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	opts, err := s.options()
	if err != nil {
		return err
	}
	running, err := embed(*opts)
	if err != nil {
		return err
	}
	if _, err := os.Stdout.WriteString(readyLine); err != nil {
		return err
	}
	if line, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil || line != stopLine {
		return errors.Join(err, errors.New("the test has gone"))
	}
	running.stop()
	return nil
}

// process is a server in a process of its own.
type process struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
}

// StartProcess is Start with a process for the server, which can be killed.
func StartProcess(tb testing.TB, change ...func(*server.Options)) *Server {
	tb.Helper()
	return launch(tb, spawn, change...)
}

// spawn starts this test binary again as a server.
func spawn(opts server.Options) (runner, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return spawnAs(exe, opts)
}

// spawnAs starts a test binary as a server; env is its environment besides ours.
func spawnAs(exe string, opts server.Options, env ...string) (runner, error) {
	text, err := json.Marshal(settingsOf(opts))
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.Background(), exe) // it lives until it is stopped
	cmd.Env = append(append(os.Environ(), env...), settingsVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd, stdin}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != readyLine {
		p.kill()
		return nil, fmt.Errorf("the process does not begin: %q: %w", line, err)
	}
	return p, nil
}

func (p *process) stop() {
	if _, err := io.WriteString(p.stdin, stopLine); err != nil {
		_ = p.cmd.Process.Kill() // it has gone, or does not listen
	}
	_ = p.cmd.Wait() // how it ended is no matter
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}
