package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// release is what the linker sets where a release is built: its tag.
var release string

// version is that of the release, or of the one that is to come.
var version = cmp.Or(release, "v0.2.0-devel"+commit())

// commit is of which the program was built, as far as the go command noted that.
func commit() (told string) {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	changed := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			told = "+" + s.Value[:min(7, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = ".dirty"
		}
	}
	return told + changed
}

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
