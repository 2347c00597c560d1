// Package fault collects what is wrong with an input, all of it at once, each fault with the place
// where it stands as a JSONPath (RFC 9535). It is pure.
package fault

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Root is the path of the whole document.
const Root = "$"

// MaxListed bounds a List: a hostile document with a million faults is told of the first ones.
const MaxListed = 100

// Fault is one thing wrong with a document.
type Fault struct {
	Path    string `json:"path"`    // JSONPath of the place, e.g. $.graph.links[3].source
	Message string `json:"message"` // what is wrong and what would be right
}

// List is an error made of faults, in the order in which they were found.
type List []Fault

// Add notes a fault; beyond MaxListed it notes once that there are more.
func (l *List) Add(path, format string, args ...any) {
	switch {
	case len(*l) < MaxListed:
		*l = append(*l, Fault{path, fmt.Sprintf(format, args...)})
	case len(*l) == MaxListed:
		*l = append(*l, Fault{Root, fmt.Sprintf("more than %d faults; the others are not listed", MaxListed)})
	}
}

// Err is the list as an error, or nil when it is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// All is the faults of several errors as one. Where one of them is of another kind, it is that one.
func All(errs ...error) error {
	var all List
	for _, err := range errs {
		var faults List
		if err != nil && !errors.As(err, &faults) {
			return err
		}
		all = append(all, faults...)
	}
	return all.Err()
}

// Error joins the faults into one line.
func (l List) Error() string {
	var b strings.Builder
	for i, f := range l {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(f.Path + ": " + f.Message)
	}
	return b.String()
}

// Member is the path of a named member below path.
func Member(path, name string) string {
	if isIdentifier(name) {
		return path + "." + name
	}
	return path + "[" + quote(name) + "]"
}

// Element is the path of the i-th element below path.
func Element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// quote is a single-quoted name selector of RFC 9535, section 2.7.
func quote(name string) string {
	q, _ := jsontext.AppendQuote(nil, name) // an error only says that bytes were not UTF-8; they are replaced
	s := strings.ReplaceAll(string(q[1:len(q)-1]), `\"`, `"`)
	return "'" + strings.ReplaceAll(s, "'", `\'`) + "'"
}

func isIdentifier(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
