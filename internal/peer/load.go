package peer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// maxConfig is the longest configuration that is read, in bytes.
const maxConfig = 1 << 20

// errEmpty says that a configuration holds nothing.
var errEmpty = errors.New("the configuration is empty")

// LoadFile reads a configuration from a file, as Load does; the errors name the file.
func LoadFile(name string, change func(*Config)) (cfg Config, err error) {
	f, err := os.Open(name)
	if err != nil {
		return Config{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	cfg, err = Load(f, change)
	switch {
	case errors.Is(err, errEmpty):
		err = fmt.Errorf("%s is empty", name)
	case err != nil:
		err = fmt.Errorf("%s: %w", name, err)
	}
	return cfg, err
}

// Load reads a configuration in YAML. change, unless it is nil, is what others, e.g. flags, say beside it;
// then defaults are set. The error joins all that is wrong, each fault with its line.
func Load(r io.Reader, change func(*Config)) (Config, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxConfig+1))
	switch {
	case err != nil:
		return Config{}, err
	case len(text) > maxConfig:
		return Config{}, fmt.Errorf("a configuration may have %d bytes", maxConfig)
	}
	if blank(text) {
		return Config{}, errEmpty
	}
	var cfg Config
	var root yaml.Node
	faults, err := decode(text, &root, &cfg)
	if err != nil {
		return Config{}, err
	}
	if change != nil {
		change(&cfg)
	}
	cfg.SetDefaults()
	for _, f := range cfg.faults() {
		line := lineOf(&root, f.Field)
		if !slices.ContainsFunc(faults, func(l lineFault) bool { return line > 0 && l.line == line }) { // else it follows from that
			faults = append(faults, lineFault{line, fmt.Errorf("%s: %w", f.Field, f.Err)})
		}
	}
	return cfg, join(faults)
}

// blank says whether a text has nothing but comments.
func blank(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

// lineFault is what is wrong with a line; 0: with none of those that are there.
type lineFault struct {
	line int
	err  error
}

// decode reads all that can be read of a document. The error says that it is none.
func decode(text []byte, root *yaml.Node, cfg *Config) ([]lineFault, error) {
	if err := yaml.Load(text, root); err != nil {
		return nil, unread(err)
	}
	faults := written(root)
	err := root.Load(cfg, yaml.WithKnownFields())
	if err == nil {
		return faults, nil
	}
	several, ok := errors.AsType[*yaml.LoadErrors](err)
	if !ok {
		return nil, unread(err)
	}
	for _, e := range several.Errors {
		message := wording(root, e.Mark, e.Message)
		if field, _, unknown := strings.Cut(message, " not found in type "); unknown {
			message = "unknown " + field
		}
		faults = append(faults, lineFault{e.Mark.Line, errors.New(strings.TrimPrefix(message, "yaml: "))})
	}
	return faults, nil
}

// unread is the error of a document of which nothing can be read.
func unread(err error) error {
	if one, ok := errors.AsType[*yaml.LoadError](err); ok {
		return join([]lineFault{{one.Mark.Line, errors.New(one.Message)}})
	}
	return err
}

func join(faults []lineFault) error {
	slices.SortStableFunc(faults, func(a, b lineFault) int { return a.line - b.line })
	var errs []error
	for _, f := range faults {
		if f.line > 0 {
			f.err = fmt.Errorf("line %d: %w", f.line, f.err)
		}
		errs = append(errs, f.err)
	}
	return errors.Join(errs...)
}

// lineOf is the line of a field, or of the innermost thing around it that is there; 0: of none. Names
// may hold dots.
func lineOf(n *yaml.Node, field string) int {
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		return lineOf(n.Content[0], field)
	}
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			rest, ok := strings.CutPrefix(field, key.Value)
			if ok && (rest == "" || rest[0] == '.') {
				return max(key.Line, lineOf(n.Content[i+1], strings.TrimPrefix(rest, ".")))
			}
		}
	}
	return 0
}
