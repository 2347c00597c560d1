// Command oc-scheduler tells whether the peers of a workflow have room for it, and when if not now.
//
//	oc-scheduler serve              run one replica
//	oc-scheduler demo               a replica with its own NATS server, three nodes of two peers, a workflow
//	oc-scheduler demo-peer PART     one of their nodes alone, or the workflow, for fleets that others start
//	oc-scheduler peer               run a compute node
//	oc-scheduler check WORKFLOW     ask a replica once, or --watch its answers
//	oc-scheduler schedule WORKFLOW  book it, once or again and again
//	oc-scheduler schedules          what is booked; show, pause, resume or cancel it
//	oc-scheduler next ID            when it comes next
//	oc-scheduler preview WORKFLOW   what would be booked
//	oc-scheduler hold WORKFLOW      take what it needs for some minutes
//	oc-scheduler confirm HOLD       make a schedule of that
//	oc-scheduler start WORKFLOW     book it now, and run it
//	oc-scheduler runs               what became of it; show or cancel one
//	oc-scheduler history RUN        step by step
//	oc-scheduler planners           what a replica knows of the peers; show one's
//	oc-scheduler workflows          what may be asked about; show, put or remove one
//	oc-scheduler nodes              the compute nodes; show, approve, reject or remove one
//	oc-scheduler run NODE -- CMD…   have a node run something, and follow its output
//	oc-scheduler executions         what runs or ran; show one
//	oc-scheduler logs EXECUTION     its output
//	oc-scheduler cancel EXECUTION   end it
//	oc-scheduler context            names for replicas, with a token for each
//	oc-scheduler dead               what could not be used, and why
//	oc-scheduler token …            who may do what: create, list, revoke
//	oc-scheduler nats-config        print a configuration of NATS servers
//	oc-scheduler import FORMAT FILE make workflows and planners of what others have recorded
//	oc-scheduler backup FILE        write what the fleet keeps into a file
//	oc-scheduler restore FILE       and back
//	oc-scheduler doctor             examine an installation
//	oc-scheduler completion SHELL   what a shell needs to complete command lines
//	oc-scheduler man                the manual page
//	oc-scheduler version
//
// exitCodes tells what it ends with. An error is one line on stderr; so is output that cannot be written.
//
// Each command is one file with its flags and a Run method; kong reads the former and calls the
// latter. run is the program without the process, so that tests can call it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "time/tzdata" // zone names work in an empty container, too

	"oc-scheduler/internal/peer/execute"
)

// echo is how soon after the first signal another one still counts as the same: timeout(1) and
// process managers signal the process and then its group.
const echo = time.Second

func main() {
	execute.Keep() // of the executions of a node
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	go func() {
		cancel(&interruption{<-signals}) // the first one drains
		for first := time.Now(); time.Since(first) < echo; {
			<-signals
		}
		os.Exit(exitFailure) // the second one means it
	}()
	os.Exit(run(ctx, os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr))
}
