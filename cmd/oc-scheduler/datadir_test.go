package main

import (
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
)

func TestDefaultDataDir(t *testing.T) {
	t.Parallel()
	known := func() (*user.User, error) { return &user.User{HomeDir: "/srv/oc"}, nil }
	for name, tc := range map[string]struct {
		env  map[string]string
		self func() (*user.User, error)
		want string
	}{
		"state":              {map[string]string{"XDG_STATE_HOME": "/state", "HOME": "/home/u"}, known, "/state/oc-scheduler"},
		"home":               {map[string]string{"HOME": "/home/u"}, known, "/home/u/.local/state/oc-scheduler"},
		"relative state":     {map[string]string{"HOME": "/home/v", "XDG_STATE_HOME": "relative"}, known, "/home/v/.local/state/oc-scheduler"},
		"empty state":        {map[string]string{"HOME": "/home/v", "XDG_STATE_HOME": ""}, known, "/home/v/.local/state/oc-scheduler"},
		"a service":          {nil, known, "/srv/oc/.local/state/oc-scheduler"},
		"relative home":      {map[string]string{"HOME": "."}, known, "/srv/oc/.local/state/oc-scheduler"},
		"empty home":         {map[string]string{"HOME": ""}, known, "/srv/oc/.local/state/oc-scheduler"},
		"nobody":             {nil, func() (*user.User, error) { return nil, user.UnknownUserIdError(54321) }, ""},
		"nobody but a state": {map[string]string{"XDG_STATE_HOME": "/state"}, func() (*user.User, error) { return nil, errors.New("no") }, "/state/oc-scheduler"},
		"homeless":           {nil, func() (*user.User, error) { return &user.User{}, nil }, ""},
	} {
		got, err := defaultDataDir(lookupIn(tc.env), tc.self)
		if got != tc.want || (err != nil) != (tc.want == "") || err != nil && !strings.HasPrefix(err.Error(), "--data-dir: ") {
			t.Errorf("%s: %q, %v, want %q", name, got, err, tc.want)
		}
	}
}

// TestADataDirThatIsNone: what cannot be made or written into is a fault of the configuration, told at once.
func TestADataDirThatIsNone(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("peer_id: north\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"serve", "--listen", "127.0.0.1:0", "--nats-listen", "off"},
		{"peer", "--config", file, "--nats-url", "nats://127.0.0.1:1"},
	} {
		got := invoke(t, map[string]string{"XDG_STATE_HOME": file, "OC_LOG_LEVEL": "error"}, args...)
		if got.code != exitConfig || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, file) {
			t.Errorf("%s: %+v", args[0], got)
		}
	}
}
