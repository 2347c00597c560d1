//go:build compose

package deploy_test

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
)

// container is what `docker inspect` says of one.
type container struct {
	Name   string
	Config struct{ Image, User string }

	HostConfig struct {
		ReadonlyRootfs bool
		CapDrop        []string
	}
	NetworkSettings struct {
		Ports map[string][]struct{ HostIP string }
	}
}

// confined holds that containers can write to nothing but their volumes, have no capabilities, and
// are reached from this machine only.
func (f *fleet) confined() {
	f.t.Helper()
	ids := strings.Fields(f.run("ps", "-q"))
	out, err := exec.CommandContext(f.t.Context(), "docker", append([]string{"inspect"}, ids...)...).Output()
	if err != nil {
		f.t.Fatal(err)
	}
	var containers []container
	if err := json.Unmarshal(out, &containers); err != nil {
		f.t.Fatal(err)
	}
	if want := len(nodes) + len(replicas) + 1 + 4; len(containers) != want {
		f.t.Errorf("%d containers, want %d", len(containers), want)
	}
	for _, c := range containers {
		if !c.HostConfig.ReadonlyRootfs || !slices.Contains(c.HostConfig.CapDrop, "ALL") {
			f.t.Errorf("%s: root read-only %v, dropped %v", c.Name, c.HostConfig.ReadonlyRootfs, c.HostConfig.CapDrop)
		}
		if c.Config.Image == "oc-scheduler" && c.Config.User != "65532:65532" {
			f.t.Errorf("%s runs as %q", c.Name, c.Config.User)
		}
		for port, bindings := range c.NetworkSettings.Ports {
			for _, b := range bindings {
				if b.HostIP != "127.0.0.1" {
					f.t.Errorf("%s: port %s is published on %s", c.Name, port, b.HostIP)
				}
			}
		}
	}
	f.say("%d containers: root read-only, no capabilities, replicas as 65532, ports on 127.0.0.1 only", len(containers))
}
