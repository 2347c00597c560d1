package httpapi

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"oc-scheduler/store/fault"
)

// query is the parameters of a request, and what is wrong with them.
type query struct {
	values url.Values
	faults fault.List
}

// parseQuery reads parameters of any names.
func parseQuery(r *http.Request) *query {
	q := &query{}
	if r.URL.RawQuery == "" {
		return q
	}
	var err error
	if q.values, err = url.ParseQuery(r.URL.RawQuery); err != nil {
		q.faults.Add(fault.Root, "the query is malformed: %v", err)
	}
	return q
}

// readQuery reads parameters that a route knows. Others are faults: a misspelt one must not quietly mean that
// there is none.
func readQuery(r *http.Request, known ...string) *query {
	q := parseQuery(r)
	for _, name := range slices.Sorted(maps.Keys(q.values)) {
		if !slices.Contains(known, name) {
			q.fault(name, "unknown parameter")
		}
	}
	return q
}

// get is the value of a parameter, "" when it is not given; one that is given twice is a fault.
func (q *query) get(name string) string {
	values := q.values[name]
	if len(values) > 1 {
		q.fault(name, "is given %d times", len(values))
	}
	return q.values.Get(name)
}

func (q *query) fault(name, format string, args ...any) {
	q.faults.Add(fault.Member(fault.Root, name), format, args...)
}

// flag is false for a parameter that is not given, or empty.
func (q *query) flag(name string) bool {
	text := q.get(name)
	if text == "" {
		return false
	}
	set, err := strconv.ParseBool(text)
	if err != nil {
		q.fault(name, "must be true or false")
	}
	return set
}

// rateParameter is how many frames a second a client of a check stream takes at most.
const rateParameter = "rate"

// every is the time between two frames that the rate means; 0: none was given.
func (q *query) every() time.Duration {
	text := q.get(rateParameter)
	if text == "" {
		return 0
	}
	const least, most = 0.1, 1000
	rate, err := strconv.ParseFloat(text, 64)
	if err != nil || !(rate >= least && rate <= most) {
		q.fault(rateParameter, "must be a number of frames a second, from %v to %v", least, most)
		return 0
	}
	return time.Duration(float64(time.Second) / rate)
}

// wholeNumber reads a whole number, not below zero, as JSON writes it.
func wholeNumber(text string) (n uint64, ok bool) {
	n, err := strconv.ParseUint(text, 10, 64)
	return n, err == nil && (text[0] != '0' || len(text) == 1)
}
