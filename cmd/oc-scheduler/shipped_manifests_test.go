//go:build long

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

type labels map[string]string

type selector struct{ MatchLabels labels }

type port struct {
	Name          string
	ContainerPort int
	Port          any
	TargetPort    string
}

type probe struct {
	HTTPGet struct{ Path, Port string }
}

type container struct {
	Args                          []string
	Ports                         []port
	LivenessProbe, ReadinessProbe probe
}

// manifest has what has to fit together in the kinds Deployment, Service, PodDisruptionBudget and NetworkPolicy.
type manifest struct {
	APIVersion, Kind string
	Metadata         struct{ Name string }
	Spec             struct {
		Replicas int
		Selector json.RawMessage // of a Service: labels; else a selector
		Template struct {
			Metadata struct{ Labels labels }
			Spec     struct {
				Grace      int `json:"terminationGracePeriodSeconds"`
				Containers []container
			}
		}
		Ports       []port
		PodSelector selector
		Ingress     []struct{ Ports []port }
	}
}

// TestShippedManifests has them decoded strictly into the types of the Kubernetes API, and holds that they fit together: who
// selects finds the pods, ports have names that are there, probes ask what is served, and the replica is given the time
// that a drain takes.
func TestShippedManifests(t *testing.T) {
	t.Parallel()
	objects := json.NewDecoder(bytes.NewReader(readBy(t, "kubernetes", read(t, root+"deploy/kubernetes/oc-scheduler.yaml"), nil)))
	kinds := map[string]string{"Deployment": "apps/v1", "Service": "v1", "PodDisruptionBudget": "policy/v1", "NetworkPolicy": "networking.k8s.io/v1"}
	ports := map[string]bool{}
	for {
		var m manifest
		err := objects.Decode(&m)
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
		m.selects(t)
		if m.Kind == "Deployment" {
			m.deploys(t, ports)
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

const nameLabel = "app.kubernetes.io/name"

func (m manifest) selects(t *testing.T) {
	t.Helper()
	selected := m.Spec.PodSelector
	var err error
	if m.Kind == "Service" {
		err = json.Unmarshal(m.Spec.Selector, &selected.MatchLabels)
	} else if m.Kind != "NetworkPolicy" {
		err = json.Unmarshal(m.Spec.Selector, &selected)
	}
	if err != nil || selected.MatchLabels[nameLabel] != "oc-scheduler" {
		t.Errorf("%s selects %v: %v", m.Kind, selected, err)
	}
}

// deploys notes the ports at which the replica is told to listen, by their names.
func (m manifest) deploys(t *testing.T, ports map[string]bool) {
	t.Helper()
	pod := m.Spec.Template
	if pod.Metadata.Labels[nameLabel] != "oc-scheduler" || pod.Spec.Grace < 35 || m.Spec.Replicas < 2 || len(pod.Spec.Containers) != 1 {
		t.Fatalf("%+v", pod)
	}
	c := pod.Spec.Containers[0]
	understood(t, m.Kind, c.Args)
	for _, p := range c.Ports {
		ports[p.Name] = strings.Contains(strings.Join(c.Args, " "), fmt.Sprint(":", p.ContainerPort))
	}
	if c.LivenessProbe.HTTPGet.Path != "/livez" || c.ReadinessProbe.HTTPGet.Path != "/readyz" || !ports[c.LivenessProbe.HTTPGet.Port] || !ports[c.ReadinessProbe.HTTPGet.Port] {
		t.Errorf("%+v %+v", c.LivenessProbe, c.ReadinessProbe)
	}
}
