package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
)

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// printLine writes a document as one line.
func printLine(w io.Writer, doc json.RawMessage) error {
	var line bytes.Buffer
	if err := json.Compact(&line, doc); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s\n", line.Bytes())
	return err
}

// printYAML writes a JSON document as YAML, its members in their order.
func printYAML(w io.Writer, doc json.RawMessage) error {
	text := jsontext.Value(bytes.Clone(doc))
	if err := text.Format(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil { // JSON's escapes are not all YAML's
		return err
	}
	var node yaml.Node
	if err := yaml.Unmarshal(text, &node); err != nil {
		return err
	}
	inBlocks(&node)
	out, err := yaml.Dump(&node, yaml.WithIndent(2), yaml.WithLineWidth(-1))
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}

// inBlocks has a document written in lines, and quoted only where that is needed.
func inBlocks(n *yaml.Node) {
	n.Style = 0
	for _, child := range n.Content {
		inBlocks(child)
	}
}
