package main

import (
	"fmt"
	"runtime"
)

// version is set by the linker.
var version = "devel"

type versionCmd struct{ outputFlags }

// Run prints the version of the program and of the Go release that built it.
func (c versionCmd) Run(con *console) error {
	p := c.printer(con)
	if p.forPeople() {
		_, err := fmt.Fprintf(p, "oc-scheduler %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	}
	return p.value(struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		Go      string `json:"go"`
		System  string `json:"system"`
	}{"oc-scheduler", version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH})
}
