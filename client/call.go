package client

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// call is what options say of one call.
type call struct {
	header   http.Header
	query    url.Values
	body     json.RawMessage // nil: what the method makes of its arguments
	answer   *Answer
	patience time.Duration
	after    string
	lost     func(err error, pause time.Duration)
}

// endless is the patience of streams.
const endless = time.Duration(-1)

func newCall(patience time.Duration, options []CallOption) *call {
	c := &call{header: http.Header{}, query: url.Values{}, patience: patience}
	for _, o := range options {
		o(c)
	}
	return c
}

// CallOption is about one call.
type CallOption func(*call)

// Answer is an answer as it came; of a stream, the event that came last.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Created says whether what was written was not there before.
func (a *Answer) Created() bool { return a.Status == http.StatusCreated }

// Age is how old an answer is that a replica gave from memory while it did not reach NATS; 0: it is live.
func (a *Answer) Age() time.Duration {
	seconds, err := strconv.Atoi(a.Header.Get("Age"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// Into keeps an answer as it came, besides what it is read as. Of a stream it holds an event while that is told.
func Into(a *Answer) CallOption { return func(c *call) { c.answer = a } }

// Body has a document sent as it is, in place of the argument: one that somebody else has written.
func Body(doc []byte) CallOption { return func(c *call) { c.body = doc } }

// IdempotencyKey names a request that books, of 1 to 128 bytes, so that another process may repeat it: with the same
// key the same is done once. Without it each call has a key of its own.
func IdempotencyKey(key string) CallOption { return header("Idempotency-Key", key) }

// IfMatch has a workflow written or deleted only if it has this entity tag, which Answer.Header has as ETag; "*": if it
// is there.
func IfMatch(tag string) CallOption { return header("If-Match", tag) }

// IfNoneMatch has a document answered only if it has another entity tag, else the error is ErrNotModified; and with "*" a
// workflow written only if there is none.
func IfNoneMatch(tag string) CallOption { return header("If-None-Match", tag) }

func header(name, value string) CallOption { return func(c *call) { c.header.Set(name, value) } }

// Wait has a check wait so long for planners that are missing.
func Wait(d time.Duration) CallOption { return Query("wait", d.String()) }

// Rate bounds how many answers a second a stream of answers tells, 0.1 to 1000; the newest comes.
func Rate(perSecond float64) CallOption {
	return Query("rate", strconv.FormatFloat(perSecond, 'f', -1, 64))
}

// Query sets a parameter as it is written, in place of what the arguments say.
func Query(name, value string) CallOption { return func(c *call) { c.query.Set(name, value) } }

// Patience is how long this request is repeated, or how long this stream goes on without an event: the latter has no end
// by default.
func Patience(d time.Duration) CallOption { return func(c *call) { c.patience = d } }

// After has a stream begin after an event that came before, by its ID.
func After(eventID string) CallOption { return func(c *call) { c.after = eventID } }

// OnLost calls f whenever a connection of a stream was lost, with the reason and the pause before the next try.
func OnLost(f func(err error, pause time.Duration)) CallOption {
	return func(c *call) { c.lost = f }
}
