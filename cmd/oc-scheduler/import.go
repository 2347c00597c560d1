package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"oc-scheduler/internal/imports"
)

type importCmd struct {
	WfFormat wfformatCmd `cmd:"" name:"wfformat" help:"Make workflows of recordings of WfCommons (WfFormat 1.4 and 1.5)."`
	SWF      swfCmd      `cmd:"" name:"swf" help:"Make a planner of a log in the Standard Workload Format."`
}

type wfformatCmd struct {
	Peer     string   `required:"" group:"import" placeholder:"PEER" help:"The peer that its steps are to run at."`
	Resource string   `required:"" group:"import" placeholder:"ID" help:"Its compute resource."`
	Commands bool     `group:"import" help:"Give the steps the commands that were recorded; the node decides what may run."`
	Cores    float64  `group:"import" default:"1" placeholder:"N" help:"Cores of a task that tells none."`
	ID       string   `group:"import" placeholder:"ID" help:"The workflow's id, of one FILE; by default the recording's name."`
	File     []string `arg:"" help:"Recordings; - is standard input."`
}

// Help says what becomes of it.
func (*wfformatCmd) Help() string {
	return "Prints a workflow a line, which workflows put takes, and says on stderr what it left out."
}

// AfterApply refuses one id for many.
func (c *wfformatCmd) AfterApply() error {
	if c.ID != "" && len(c.File) > 1 {
		return errors.New("--id: names one workflow, and there are several files")
	}
	return nil
}

// Run prints a workflow for each file.
func (c *wfformatCmd) Run(con *console) error {
	for _, file := range c.File {
		err := opened(file, func(r io.Reader) error {
			data, err := io.ReadAll(r)
			if err != nil {
				return err
			}
			doc, left, err := imports.WfFormat(data, imports.Onto{
				ID: c.ID, Peer: c.Peer, Resource: c.Resource, Commands: c.Commands, CoresByDefault: c.Cores,
			})
			if err != nil {
				return err
			}
			return con.imported(file, doc, left)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

type swfCmd struct {
	Peer       string        `required:"" group:"import" placeholder:"PEER" help:"The peer whose planner it becomes."`
	Resource   string        `group:"import" default:"cluster" placeholder:"ID" help:"Its compute resource."`
	Instance   string        `group:"import" default:"all" placeholder:"ID" help:"The instance of that."`
	Dimension  string        `group:"import" default:"cpu_cores" placeholder:"NAME" help:"What processors are called."`
	Processors int           `group:"import" placeholder:"N" help:"How many there are; by default what the log says, or else the most that a job had."`
	Start      time.Time     `group:"import" format:"2006-01-02T15:04:05Z07:00" placeholder:"TIME" help:"When the first job shall have started; by default when it did."`
	For        time.Duration `group:"import" placeholder:"DURATION" help:"Leave out the jobs that start later than this after the first."`
	File       string        `arg:"" help:"The log; - is standard input."`
}

// Help says what becomes of it.
func (*swfCmd) Help() string {
	return "Prints a planner, as a discovery service publishes it, and says on stderr what it left out."
}

// Run prints the planner.
func (c *swfCmd) Run(con *console) error {
	return opened(c.File, func(r io.Reader) error {
		doc, left, err := imports.SWF(r, imports.Site{
			Peer: c.Peer, Resource: c.Resource, Instance: c.Instance, Dimension: c.Dimension, Processors: c.Processors, Start: c.Start, For: c.For,
		})
		if err != nil {
			return err
		}
		return con.imported(c.File, doc, left)
	})
}

func opened(file string, read func(io.Reader) error) error {
	f := os.Stdin
	if file != "-" {
		var err error
		if f, err = os.Open(file); err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // it was only read
	}
	if err := read(f); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

func (c *console) imported(file string, doc []byte, left imports.Left) error {
	if _, err := fmt.Fprintf(c.stdout, "%s\n", doc); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.stderr, "%s: left out: %v\n", printable(file), left)
	return err
}
