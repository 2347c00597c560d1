package imports

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"oc-scheduler/store/workflow"
)

// Onto says where an imported workflow is to run: a recording knows machines, not peers.
type Onto struct {
	ID               string // of the workflow; empty: the recording's name
	Peer, Resource   string
	Commands         bool    // steps have the commands that were recorded
	CoresByDefault   float64 // of a task that tells none
	MemoryGBIfUnsaid float64
}

// recording is WfFormat (WfCommons), as far as it is read: 1.5 tells tasks and what they took apart, 1.4 together.
type recording struct {
	Name     string `json:"name"`
	Version  string `json:"schemaVersion"`
	Workflow struct {
		Tasks         []task `json:"tasks"` // 1.4
		Machines      []any  `json:"machines"`
		Specification struct {
			Tasks []task `json:"tasks"`
			Files []any  `json:"files"`
		} `json:"specification"`
		Execution struct {
			Tasks    []task `json:"tasks"`
			Machines []any  `json:"machines"`
		} `json:"execution"`
	} `json:"workflow"`
}

type task struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Parents  []string `json:"parents"`
	Children []string `json:"children"`
	Files    []any    `json:"files"` // 1.4
	Inputs   []any    `json:"inputFiles"`
	Outputs  []any    `json:"outputFiles"`

	Seconds  *float64 `json:"runtimeInSeconds"`
	Cores    *float64 `json:"coreCount"`
	Cores14  *float64 `json:"cores"`
	Memory   *float64 `json:"memoryInBytes"`
	Priority *float64 `json:"priority"`
	CPU      *float64 `json:"avgCPU"`
	Read     *float64 `json:"readBytes"`
	Written  *float64 `json:"writtenBytes"`
	Machines []any    `json:"machines"`
	Command  *struct {
		Program   string   `json:"program"`
		Arguments []string `json:"arguments"`
	} `json:"command"`
}

func (t task) name() string { return cmp.Or(t.ID, t.Name) }

// WfFormat makes a workflow of a recording in WfFormat 1.4 or 1.5: each task is a step that lasts as long as it took, on
// as many cores and with as much memory. left is what the recording has besides. It fails when the recording is none, or
// does not fit together.
func WfFormat(data []byte, onto Onto) (doc []byte, left Left, err error) {
	var r recording
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, nil, fmt.Errorf("no WfFormat: %w", err)
	}
	tasks := r.Workflow.Specification.Tasks
	switch {
	case strings.HasPrefix(r.Version, "1.5"):
	case strings.HasPrefix(r.Version, "1.4"):
		tasks = r.Workflow.Tasks
	default:
		return nil, nil, fmt.Errorf("WfFormat %.20q is not read here, but 1.4 and 1.5", r.Version)
	}
	if len(tasks) == 0 || len(tasks) > maxTasks {
		return nil, nil, fmt.Errorf("%d tasks: from 1 to %d are read", len(tasks), maxTasks)
	}
	took := map[string]task{}
	for _, t := range r.Workflow.Execution.Tasks {
		took[t.name()] = t
	}
	left = Left{}
	left.add(len(r.Workflow.Specification.Files), "files")
	left.add(len(r.Workflow.Machines)+len(r.Workflow.Execution.Machines), "machines")
	b := builder{onto: onto, left: left, items: map[string]any{}, links: map[link]bool{}}
	for _, t := range tasks {
		ran, known := took[t.name()]
		if !known {
			ran = t
		}
		if err := b.step(t, ran); err != nil {
			return nil, nil, err
		}
	}
	doc, err = b.document(cmp.Or(onto.ID, r.Name), r.Name)
	return doc, left, err
}

type link struct {
	Source      string `json:"source"`
	Destination string `json:"destination"`
}

type builder struct {
	onto  Onto
	left  Left
	items map[string]any
	links map[link]bool
	order []link
}

func (b *builder) link(from, to string) {
	l := link{from, to}
	if !b.links[l] {
		b.links[l] = true
		b.order = append(b.order, l)
	}
}

// step adds a task, and where it runs.
func (b *builder) step(t, ran task) error {
	name := t.name()
	if name == "" || b.items[name] != nil {
		return fmt.Errorf("task %.100q is there twice, or has no name", name)
	}
	seconds := value(ran.Seconds, 0)
	if ran.Seconds == nil {
		b.left.add(1, "tasks without a run time, which last no time")
	}
	if seconds < 0 || math.IsNaN(seconds) || math.IsInf(seconds, 0) {
		return fmt.Errorf("task %.100q lasts %v s", name, seconds)
	}
	processing := map[string]any{"id": name, "duration_s": math.Round(seconds*1e6) / 1e6}
	if c := ran.Command; c != nil && c.Program != "" {
		if b.onto.Commands {
			processing["command"] = append([]string{c.Program}, c.Arguments...)
		} else {
			b.left.add(1, "commands")
		}
	}
	demand := map[string]any{"cpu_cores": value(ran.Cores, value(ran.Cores14, b.onto.CoresByDefault))}
	if gb := value(ran.Memory, b.onto.MemoryGBIfUnsaid*1e9) / 1e9; gb > 0 {
		demand["ram_gb"] = math.Ceil(gb*1000) / 1000
	}
	place := name + " on"
	b.items[name] = map[string]any{"processing": processing}
	b.items[place] = map[string]any{"compute": map[string]any{"id": b.onto.Resource, "peer_id": b.onto.Peer, "demand": demand}}
	b.link(name, place)
	for _, parent := range t.Parents {
		b.link(parent, name)
	}
	for _, child := range t.Children {
		b.link(name, child)
	}
	b.leaves(t, ran)
	return nil
}

// leaves counts what has no counterpart here.
func (b *builder) leaves(t, ran task) {
	b.left.add(len(t.Files)+len(t.Inputs)+len(t.Outputs), "uses of files")
	b.left.add(len(ran.Machines), "where tasks ran")
	for what, number := range map[string]*float64{
		"priorities": ran.Priority, "average loads": ran.CPU, "bytes read": ran.Read, "bytes written": ran.Written,
	} {
		if number != nil {
			b.left.add(1, what)
		}
	}
}

func value(n *float64, otherwise float64) float64 {
	if n == nil {
		return otherwise
	}
	return *n
}

// document is the workflow, if it is one.
func (b *builder) document(id, name string) ([]byte, error) {
	doc, err := json.Marshal(map[string]any{
		"id": id, "name": name, "graph": map[string]any{"items": b.items, "links": b.order},
	})
	if err != nil {
		return nil, err
	}
	if _, err := workflow.Decode(doc); err != nil {
		return nil, errors.Join(errors.New("what the recording tells is no workflow"), err)
	}
	return doc, nil
}
