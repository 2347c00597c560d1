package main

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// understood holds that a command line of ours is one, as far as it can be told without running it.
func understood(t *testing.T, where string, args []string) {
	t.Helper()
	if err := reads(t, args); err != nil {
		t.Errorf("%s: %q: %v", where, args, err)
	}
}

// TestUnits holds that what systemd is told to start is a command line, that it is told when that is ready, and that it
// restarts all but faults of the configuration.
func TestUnits(t *testing.T) {
	t.Parallel()
	units, err := filepath.Glob(root + "deploy/systemd/*.service")
	if err != nil || len(units) != 2 {
		t.Fatal(units, err)
	}
	for _, unit := range units {
		is := map[string]string{}
		section := ""
		for line := range strings.Lines(read(t, unit)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "[") || line == "" || strings.HasPrefix(line, "#") {
				section += line
				continue
			}
			name, value, ok := strings.Cut(line, "=")
			if _, twice := is[name]; !ok || twice || section == "" {
				t.Errorf("%s: %q", unit, line)
			}
			is[name] = value
		}
		if is["Type"] != "notify" || is["RestartPreventExitStatus"] != "78" || is["Restart"] != "on-failure" || is["NoNewPrivileges"] != "yes" {
			t.Errorf("%s: %v", unit, is)
		}
		line := strings.Fields(strings.ReplaceAll(is["ExecStart"], "${STATE_DIRECTORY}", t.TempDir()))
		if len(line) < 2 || line[0] != "/usr/local/bin/oc-scheduler" {
			t.Fatalf("%s: %v", unit, line)
		}
		understood(t, unit, line[1:])
	}
}

type labels map[string]string

type selector struct {
	MatchLabels labels `yaml:"matchLabels"`
}

type port struct {
	Name          string `yaml:"name"`
	ContainerPort int    `yaml:"containerPort"`
	Port          any    `yaml:"port"`
	TargetPort    string `yaml:"targetPort"`
	Protocol      string `yaml:"protocol"`
}

type probe struct {
	HTTPGet struct {
		Path string `yaml:"path"`
		Port string `yaml:"port"`
	} `yaml:"httpGet"`
	PeriodSeconds    int `yaml:"periodSeconds"`
	TimeoutSeconds   int `yaml:"timeoutSeconds"`
	FailureThreshold int `yaml:"failureThreshold"`
}

type rule struct {
	From []struct {
		NamespaceSelector selector `yaml:"namespaceSelector"`
	} `yaml:"from"`
	To []struct {
		PodSelector selector `yaml:"podSelector"`
	} `yaml:"to"`
	Ports []port `yaml:"ports"`
}

type container struct {
	Name            string              `yaml:"name"`
	Image           string              `yaml:"image"`
	Args            []string            `yaml:"args"`
	Ports           []port              `yaml:"ports"`
	LivenessProbe   probe               `yaml:"livenessProbe"`
	ReadinessProbe  probe               `yaml:"readinessProbe"`
	Resources       map[string]labels   `yaml:"resources"`
	SecurityContext map[string]any      `yaml:"securityContext"`
	VolumeMounts    []map[string]string `yaml:"volumeMounts"`
}

// manifest has what ours use of the kinds Deployment, Service, PodDisruptionBudget and NetworkPolicy, by the names of the
// Kubernetes API.
type manifest struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Metadata   struct {
		Name   string `yaml:"name"`
		Labels labels `yaml:"labels"`
	} `yaml:"metadata"`
	Spec struct {
		Replicas int `yaml:"replicas"`
		Strategy struct {
			Type          string         `yaml:"type"`
			RollingUpdate map[string]int `yaml:"rollingUpdate"`
		} `yaml:"strategy"`
		Selector yaml.Node `yaml:"selector"` // of a Service: labels; else a selector
		Template struct {
			Metadata struct {
				Labels labels `yaml:"labels"`
			} `yaml:"metadata"`
			Spec struct {
				Grace           int              `yaml:"terminationGracePeriodSeconds"`
				Automount       bool             `yaml:"automountServiceAccountToken"`
				SecurityContext map[string]any   `yaml:"securityContext"`
				Spread          []map[string]any `yaml:"topologySpreadConstraints"`
				Containers      []container      `yaml:"containers"`
				Volumes         []map[string]any `yaml:"volumes"`
			} `yaml:"spec"`
		} `yaml:"template"`
		Ports          []port   `yaml:"ports"`
		MaxUnavailable int      `yaml:"maxUnavailable"`
		PodSelector    selector `yaml:"podSelector"`
		PolicyTypes    []string `yaml:"policyTypes"`
		Ingress        []rule   `yaml:"ingress"`
		Egress         []rule   `yaml:"egress"`
	} `yaml:"spec"`
}

// TestManifests decodes them strictly, and holds that they fit together: who selects finds the pods, ports have names that
// are there, probes ask what is served, and the replica is given the time that a drain takes.
func TestManifests(t *testing.T) {
	t.Parallel()
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(read(t, root+"deploy/kubernetes/oc-scheduler.yaml"))))
	decoder.KnownFields(true)
	const name = "app.kubernetes.io/name"
	kinds := map[string]string{"Deployment": "apps/v1", "Service": "v1", "PodDisruptionBudget": "policy/v1", "NetworkPolicy": "networking.k8s.io/v1"}
	ports := map[string]bool{}
	for {
		var m manifest
		err := decoder.Decode(&m)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if kinds[m.Kind] != m.APIVersion || m.Metadata.Name != "oc-scheduler" {
			t.Errorf("%s %s %s", m.APIVersion, m.Kind, m.Metadata.Name)
		}
		delete(kinds, m.Kind)
		selected := m.Spec.PodSelector
		if m.Kind == "Service" {
			err = m.Spec.Selector.Decode(&selected.MatchLabels)
		} else if m.Kind != "NetworkPolicy" {
			err = m.Spec.Selector.Decode(&selected)
		}
		if err != nil || selected.MatchLabels[name] != "oc-scheduler" {
			t.Errorf("%s selects %v: %v", m.Kind, selected, err)
		}
		if m.Kind == "Deployment" {
			pod := m.Spec.Template
			if pod.Metadata.Labels[name] != "oc-scheduler" || pod.Spec.Grace < 35 || m.Spec.Replicas < 2 || len(pod.Spec.Containers) != 1 {
				t.Errorf("%+v", pod)
			}
			c := pod.Spec.Containers[0]
			understood(t, m.Kind, c.Args)
			for _, p := range c.Ports {
				ports[p.Name] = strings.Contains(strings.Join(c.Args, " "), ":"+strings.TrimSpace(yamlText(t, p.ContainerPort)))
			}
			if c.LivenessProbe.HTTPGet.Path != "/livez" || c.ReadinessProbe.HTTPGet.Path != "/readyz" || !ports[c.LivenessProbe.HTTPGet.Port] || !ports[c.ReadinessProbe.HTTPGet.Port] {
				t.Errorf("%+v %+v", c.LivenessProbe, c.ReadinessProbe)
			}
		}
		for _, p := range m.Spec.Ports {
			if !ports[p.TargetPort] {
				t.Errorf("%s: port %+v", m.Kind, p)
			}
		}
		for _, in := range m.Spec.Ingress {
			for _, p := range in.Ports {
				if named, is := p.Port.(string); !is || !ports[named] {
					t.Errorf("%s: port %+v", m.Kind, p)
				}
			}
		}
	}
	if len(kinds) > 0 {
		t.Errorf("there is no %v", kinds)
	}
}

func yamlText(t *testing.T, of any) string {
	t.Helper()
	text, err := yaml.Marshal(of)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
