package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// lookup reads an environment variable: os.LookupEnv, or a map's look-up in tests.
type lookup func(name string) (value string, found bool)

// console is the world as a command sees it.
type console struct {
	stdout io.Writer
	stderr io.Writer
	env    lookup
}

// grammar is the command line; each command stands in its own file.
type grammar struct {
	Help helpFlag `short:"h" help:"Show help."`

	Serve      serveCmd      `cmd:"" help:"Run one replica."`
	Demo       demoCmd       `cmd:"" help:"Run a replica with an embedded NATS server, two demo peers and a workflow."`
	Peer       peerCmd       `cmd:"" help:"Run a compute node."`
	DemoPeer   demoPeerCmd   `cmd:"" hidden:"" help:"Run one of the demo's peers by itself."`
	Check      checkCmd      `cmd:"" help:"Ask a replica whether a workflow can run. Exits with 0 (available), 2 (unavailable), 3 (unknown) or 1."`
	Planners   plannersCmd   `cmd:"" help:"List the planners a replica knows, or show one peer's."`
	Workflows  workflowsCmd  `cmd:"" help:"List the workflows a replica knows."`
	Nodes      nodesCmd      `cmd:"" help:"List the compute nodes, show one, or decide which may take part."`
	Run        runCmd        `cmd:"" help:"Have a node run something, and follow its output. Exits as it does, with 128+N when signal N killed it, and with 125 when it could not be run."`
	Executions executionsCmd `cmd:"" help:"List what runs or ran on the nodes, or show one execution."`
	Logs       logsCmd       `cmd:"" help:"Print the output of an execution."`
	Cancel     cancelCmd     `cmd:"" help:"End an execution."`
	Doctor     doctorCmd     `cmd:"" help:"Examine NATS servers, buckets and a replica, and say how to mend what is not well. Exits with 1 when something fails."`
	Version    versionCmd    `cmd:"" help:"Print the version."`
}

// run is the whole program but for the process: it ends when its command does, or soon after ctx.
func run(ctx context.Context, args []string, env lookup, stdout, stderr io.Writer) int {
	con := &console{stdout, stderr, env}
	twins := &environment{lookup: env}
	parser, err := kong.New(&grammar{},
		kong.Name("oc-scheduler"),
		kong.Description("Can this workflow run then, and if not, when?"),
		kong.NoDefaultHelp(),
		kong.Help(printHelp),
		kong.Writers(stdout, stderr),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.ValueFormatter(helpWithTwin),
		kong.Resolvers(twins),
		kong.PostBuild(demoFlags),
		asWritten(),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(con),
	)
	if err != nil {
		return con.fail(exitFailure, err)
	}
	args = spelled(args)
	parsed, err := parser.Parse(args)
	switch {
	case errors.Is(err, errHelp):
		return exitOK
	case err != nil:
		return con.fail(usageCode(args), fmt.Errorf("%s (see %s -h)", twins.name(misspelt(err)), called(err)))
	}
	err = parsed.Run()
	if err == nil {
		return exitOK
	}
	exit, ok := errors.AsType[*exitError](err)
	switch {
	case !ok:
		exit = &exitError{exitFailure, err}
	case exit.err == nil:
		return exit.code
	}
	return con.fail(exit.code, errors.New(twins.name(err.Error())))
}

// spelled rewrites the ways of asking for help and the version that people bring from elsewhere.
func spelled(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case args[0] == "--version":
		return []string{"version"}
	}
	return args
}

// fail prints one line, whatever the error holds.
func (c *console) fail(code int, err error) int {
	line := strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
	_, _ = fmt.Fprintln(c.stderr, "oc-scheduler: "+line) // nobody is left to tell
	return code
}

// errHelp says that help was asked for and given.
var errHelp = errors.New("help was shown")

type helpFlag bool

// BeforeReset prints the help of the command that stands before the flag, and ends the parsing.
func (helpFlag) BeforeReset(ctx *kong.Context) error {
	if err := ctx.PrintUsage(false); err != nil {
		return err
	}
	return errHelp
}
