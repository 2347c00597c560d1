package httpapi

import (
	"net/http"

	"oc-scheduler/store/id"
)

// unreadable is the answer to an order that a stored record stands in the way of which no replica can
// read: an operator has to look at it.
func unreadable(kind, of, bucket string) *Problem {
	return newProblem(http.StatusConflict, "the stored record of %s %s cannot be read; nats kv get %s %s", kind, of, bucket, id.Key(of))
}

// missing is unreadable of a question: what cannot be read counts as absent.
func missing(kind, of, bucket string) *Problem {
	p := unreadable(kind, of, bucket)
	return newProblem(http.StatusNotFound, "%s", p.Detail)
}
