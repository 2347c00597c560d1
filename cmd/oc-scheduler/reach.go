package main

import (
	"cmp"
	"errors"
	"strings"

	"oc-scheduler/client"
)

// reach is whom a command talks to, and how.
type reach struct {
	server, ca, token string
}

// reach is what flags, environment and contexts say, in this order. What a context holds goes to its server alone.
func (f replicaFlag) reach(con *console) (reach, error) {
	token, err := f.token(con)
	if err != nil {
		return reach{}, err
	}
	asked := reach{f.Server, f.CA, token}
	name, err := f.context(con)
	if err != nil {
		return reach{}, err
	}
	if name == "" && f.Server != "" {
		return asked, nil
	}
	known, err := con.contexts()
	if err != nil {
		return reach{}, err
	}
	if name = cmp.Or(name, known.Current); name == "" {
		asked.server = defaultServer
		return asked, nil
	}
	entry, err := known.named(name)
	if err != nil {
		return reach{}, err
	}
	return reach{entry.Server, cmp.Or(f.CA, entry.CA), cmp.Or(token, entry.Token)}, nil
}

// defaultServer is asked when nothing else is said.
const defaultServer = "http://127.0.0.1:8080"

// context is the name of the context that is asked for; empty: it is the server that is given, or nothing is. A flag
// wins over a variable.
func (f replicaFlag) context(con *console) (string, error) {
	server, context := con.variable("--server"), con.variable("--context")
	switch {
	case f.Context == "" || f.Server == "" || context == server:
	case context:
		return "", nil
	default:
		return f.Context, nil
	}
	if f.Context != "" && f.Server != "" {
		return "", errors.New("--context, --server: give one of them")
	}
	return f.Context, nil
}

// variable says whether a flag was set through its variable.
func (c *console) variable(flag string) bool {
	if c.twins == nil {
		return false
	}
	_, is := c.twins.given[flag]
	return is
}

// remember has hints lead to whom this command talks to: what the reader has typed he has to type again.
func (f replicaFlag) remember(con *console) {
	con.typed = ""
	for _, flag := range []struct{ name, value string }{
		{"--server", withoutSecret(f.Server)}, {"--context", f.Context}, {"--ca", f.CA}, {"--token-file", f.TokenFile},
	} {
		if flag.value != "" && !con.variable(flag.name) {
			con.typed += " " + flag.name + " " + flag.value
		}
	}
}

// command is a command line to type.
func (c *console) command(words ...string) string {
	return "oc-scheduler " + printable(strings.Join(words, " ")+c.typed)
}

// withoutSecret is an address without who asks; of what is none nothing.
func withoutSecret(server string) string {
	u, err := client.ParseServer(server)
	if err != nil {
		return ""
	}
	u.User = nil
	return u.String()
}
