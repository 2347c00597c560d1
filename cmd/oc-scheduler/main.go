// Command oc-scheduler tells whether the peers of a workflow have room for it, and when if not now.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "time/tzdata" // zone names work in an empty container, too
)

// echo is how soon after the first signal another one still counts as the same: timeout(1) and
// process managers signal the process and then its group.
const echo = 50 * time.Millisecond

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	go func() {
		<-signals
		cancel() // the first one drains
		for first := time.Now(); time.Since(first) < echo; {
			<-signals
		}
		os.Exit(exitFailure) // the second one means it
	}()
	os.Exit(run(ctx, os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr))
}
