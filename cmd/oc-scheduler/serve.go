package main

import (
	"context"
	"errors"
	"os/user"

	"oc-scheduler/internal/app"
)

type serveCmd struct {
	app.Config
	logFlags
}

// Run serves until ctx ends, then drains.
func (c *serveCmd) Run(ctx context.Context, con *console) error {
	c.Version = version
	if c.DataDir == "" && c.Embedded() {
		var err error
		if c.DataDir, err = defaultDataDir(con.env, user.Current); err != nil {
			return &exitError{exitConfig, err}
		}
	}
	return runError(app.Run(ctx, c.Config, c.logger(con)))
}

// runError gives a fault of the configuration its own exit code.
func runError(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*app.ConfigError](err); ok {
		return &exitError{exitConfig, err}
	}
	return &exitError{exitFailure, err}
}
