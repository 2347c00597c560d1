package main

import (
	"fmt"
	"runtime"
)

// version is set by the linker.
var version = "devel"

type versionCmd struct{}

// Run prints the version of the program and of the Go release that built it.
func (versionCmd) Run(con *console) error {
	_, err := fmt.Fprintf(con.stdout, "oc-scheduler %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
