// Program promql holds Prometheus' own parser and engine against expressions:
//
//	promql uses <EXPRESSIONS     a JSON list of expressions; prints what series each asks for, as JSON
//	promql alerts RULES TESTS    tries the alerts of RULES on the series of TESTS, a file as `promtool test rules` takes
//
// It exits with 1, and says why, when something is not as it should be.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/prometheus/prometheus/promql/parser"
)

var grammar = parser.NewParser(parser.Options{})

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 1 && args[0] == "uses":
		var expressions []string
		if err := json.NewDecoder(os.Stdin).Decode(&expressions); err != nil {
			return err
		}
		found, err := uses(expressions)
		return errors.Join(err, json.NewEncoder(os.Stdout).Encode(found))
	case len(args) == 3 && args[0] == "alerts":
		return alerts(args[1], args[2])
	}
	return errors.New("usage: promql uses, or promql alerts RULES TESTS")
}
