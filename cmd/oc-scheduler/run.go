package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// lookup reads an environment variable: os.LookupEnv, or a map's look-up in tests.
type lookup func(name string) (value string, found bool)

// console is the world as a command sees it.
type console struct {
	stdout *sink
	stderr io.Writer
	env    lookup
	twins  *environment // of the command line
	typed  string       // flags that say whom a command talks to
}

// grammar is the command line; each command stands in its own file.
type grammar struct {
	Help helpFlag `short:"h" help:"Show help."`

	Serve      serveCmd      `cmd:"" help:"Run one replica."`
	Demo       demoCmd       `cmd:"" help:"Run a replica with an embedded NATS server, two demo peers and a workflow."`
	Peer       peerCmd       `cmd:"" help:"Run a compute node."`
	DemoPeer   demoPeerCmd   `cmd:"" hidden:"" help:"Run one of the demo's peers by itself."`
	Check      checkCmd      `cmd:"" help:"Ask a replica whether a workflow can run. Exits with 0 (available), 2 (unavailable), 3 (unknown) or 1."`
	Schedule   scheduleCmd   `cmd:"" help:"Book a workflow, once or again and again. Exits with 0 (booked), 2 (taken), 3 (unknown) or 1."`
	Schedules  schedulesCmd  `cmd:"" help:"List what is booked, show one schedule, or pause, resume or cancel it."`
	Next       nextCmd       `cmd:"" help:"List when a schedule comes next."`
	Preview    previewCmd    `cmd:"" help:"Ask what schedule would book. Exits as check does, of several answers with the worst."`
	Hold       holdCmd       `cmd:"" help:"Take what a workflow needs for some minutes. Exits as schedule does."`
	Start      startCmd      `cmd:"" help:"Book a workflow once, now if nothing else is said, and have it run. Exits as schedule does."`
	Runs       runsCmd       `cmd:"" help:"List the runs, show one, or cancel it."`
	History    historyCmd    `cmd:"" help:"Tell what became of a run and its steps, in order."`
	Confirm    confirmCmd    `cmd:"" help:"Make a schedule of a hold."`
	Planners   plannersCmd   `cmd:"" help:"List the planners a replica knows, or show one peer's."`
	Workflows  workflowsCmd  `cmd:"" help:"List the workflows a replica knows."`
	Nodes      nodesCmd      `cmd:"" help:"List the compute nodes, show one, or decide which may take part."`
	Run        runCmd        `cmd:"" help:"Have a node run something, and follow its output. Exits as it does, with 128+N when signal N killed it, with 124 when its time was over, with 125 when it did not run, and with 1 when that is not known."`
	Executions executionsCmd `cmd:"" help:"List what runs or ran on the nodes, or show one execution."`
	Logs       logsCmd       `cmd:"" help:"Print the output of an execution."`
	Cancel     cancelCmd     `cmd:"" help:"End an execution."`
	Context    contextCmd    `cmd:"" help:"Name the replicas that you talk to, with a token and authorities for each."`
	Dead       deadCmd       `cmd:"" help:"List what came over the bus or from nodes and could not be used."`
	Token      tokenCmd      `cmd:"" help:"Make, list or revoke tokens, which say who may do what."`
	NATSConfig natsConfigCmd `cmd:"" name:"nats-config" help:"Print a configuration of NATS servers, with an account and fresh keys for each node."`
	Import     importCmd     `cmd:"" help:"Make workflows and planners of what others have recorded."`
	Backup     backupCmd     `cmd:"" help:"Write what the fleet keeps in NATS into a file."`
	Restore    restoreCmd    `cmd:"" help:"Write what is in a backup into NATS, where no replica may run."`
	Doctor     doctorCmd     `cmd:"" help:"Examine NATS servers, buckets and a replica, and say how to mend what is not well. Exits with 1 when something fails."`
	Completion completionCmd `cmd:"" help:"Print what a shell needs to complete command lines, with ids from the replica."`
	Man        manCmd        `cmd:"" help:"Print the manual page."`
	Version    versionCmd    `cmd:"" help:"Print the version."`
}

// run is the whole program but for the process: it ends when its command does, or soon after ctx.
func run(ctx context.Context, args []string, env lookup, stdout, stderr io.Writer) int {
	con := &console{stdout: &sink{name: "standard output", w: stdout}, stderr: stderr, env: env}
	code, err := con.obey(ctx, args)
	if failure := con.stdout.failure(); failure != nil {
		loss := lossOf(failure, err)
		code, err = loss.code, loss.err
	}
	if err != nil {
		con.fail(err, code, formatOf(args, env))
	}
	return code
}

// obey is run without the last words: the error is still to be told.
func (c *console) obey(ctx context.Context, args []string) (code int, err error) {
	if len(args) > 0 && args[0] == completing {
		return exitOK, c.complete(ctx, args[1:])
	}
	twins := &environment{lookup: c.env}
	c.twins = twins
	parser, err := c.parser(ctx, twins)
	if err != nil {
		return exitFailure, err
	}
	args = spelled(args)
	parsed, err := parser.Parse(args)
	switch {
	case errors.Is(err, errHelp):
		return exitOK, nil
	case err != nil:
		return usageCode(args), fmt.Errorf("%s (see %s -h)", twins.name(misspelt(err)), called(err))
	}
	err = parsed.Run()
	exit, coded := errors.AsType[*exitError](err)
	switch {
	case err == nil:
		return exitOK, nil
	case coded && exit.err == nil:
		return exit.code, nil
	case coded:
		return exit.code, twins.named(hinted(exit.err))
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return interrupted(ctx), errors.New("interrupted")
	}
	return exitFailure, twins.named(hinted(err))
}

// parser reads command lines.
func (c *console) parser(ctx context.Context, twins *environment) (*kong.Kong, error) {
	return kong.New(&grammar{},
		kong.Name("oc-scheduler"),
		kong.Description("Can this workflow run then, and if not, when?"),
		kong.NoDefaultHelp(),
		kong.Help(printHelp),
		kong.Writers(c.stdout, c.stderr),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.ValueFormatter(helpWithTwin),
		kong.Resolvers(twins),
		kong.PostBuild(demoFlags),
		asWritten(),
		kong.NamedMapper("ident", kong.MapperFunc(decodeIdent)),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(c),
	)
}

// spelled rewrites the ways of asking for help and the version that people bring from elsewhere.
func spelled(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case args[0] == "--version":
		return append([]string{"version"}, args[1:]...)
	}
	return args
}

// userinfo is who asks, in a URL; one with blanks in it, too.
var userinfo = regexp.MustCompile(`://.*@`)

// oneLine is a text without ends of lines, and without what is secret in a URL that somebody has typed where none
// belongs.
func oneLine(text string) string {
	line := strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
	return userinfo.ReplaceAllString(line, "://")
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
