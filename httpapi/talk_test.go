package httpapi_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed asyncapi.json
var asyncDocument []byte

// talk is the AsyncAPI document as the checks of frames use it.
type talk struct {
	Channels map[string]struct {
		Address string
		Servers []struct {
			Ref string `json:"$ref"`
		}
		Messages map[string]struct {
			Ref string `json:"$ref"`
		}
	}
	Components struct {
		Messages map[string]struct {
			Name     string
			Examples []struct{ Payload json.RawMessage }
		}
	}

	payloads map[string]*jsonschema.Schema // by message
}

// talked is read once: it takes longer than any check.
var talked = sync.OnceValues(func() (*talk, error) {
	d := &talk{payloads: map[string]*jsonschema.Schema{}}
	if err := json.Unmarshal(asyncDocument, d); err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.AssertContent()
	const at = "https://replica/"
	for name, text := range map[string][]byte{"asyncapi.json": asyncDocument, "openapi.json": document} {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		if err := c.AddResource(at+name, doc); err != nil {
			return nil, err
		}
	}
	for name := range d.Components.Messages {
		payload, err := c.Compile(at + "asyncapi.json#/components/messages/" + name + "/payload")
		if err != nil {
			return nil, err
		}
		d.payloads[name] = payload
	}
	return d, nil
})

// is holds what was told to be a message of the document.
func (d *talk) is(t *testing.T, message string, data []byte) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err == nil {
		err = d.payloads[message].Validate(value)
	}
	if err != nil {
		t.Errorf("%s\nis not as documented, a %s: %v", data, message, err)
	}
}

var variable = regexp.MustCompile(`\\\{[a-z]+\\\}`)

// told holds what a stream told to be one of the messages that the document knows at its address.
func told(t *testing.T, server, path, event string, data []byte) {
	t.Helper()
	d, err := talked()
	if err != nil {
		t.Fatal(err)
	}
	path, _, _ = strings.Cut(path, "?")
	for _, c := range d.Channels {
		address := regexp.MustCompile("^" + variable.ReplaceAllString(regexp.QuoteMeta(c.Address), "[^/]+") + "$")
		if c.Servers[0].Ref != "#/servers/"+server || !address.MatchString(path) {
			continue
		}
		for name := range c.Messages {
			if d.Components.Messages[name].Name == event {
				d.is(t, name, data)
				return
			}
		}
	}
	t.Errorf("%s tells %s, which is not documented", path, event)
}
