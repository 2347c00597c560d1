package main

import (
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/lmittmann/tint"
	"github.com/mattn/go-isatty"
)

// logFlags say what is logged and how.
type logFlags struct {
	LogLevel  slog.Level `default:"info" help:"debug, info, warn or error."`
	LogFormat string     `default:"auto" enum:"auto,text,json" help:"text, json, or auto: coloured text on a terminal, JSON elsewhere."`
}

func (f logFlags) logger(con *console) *slog.Logger {
	terminal := isTerminal(con.stderr)
	if f.LogFormat == "json" || f.LogFormat == "auto" && !terminal {
		return slog.New(slog.NewJSONHandler(con.stderr, &slog.HandlerOptions{Level: f.LogLevel}))
	}
	noColor, _ := con.env("NO_COLOR")
	return slog.New(tint.NewTextHandler(con.stderr, &tint.Options{
		Level:      f.LogLevel,
		TimeFormat: time.TimeOnly,
		NoColor:    !terminal || noColor != "",
	}))
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}
