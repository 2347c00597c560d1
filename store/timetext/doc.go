// Package timetext reads times and durations that others wrote, everywhere by the same rules: RFC 3339, the
// seconds of JSON, and Go's durations, and nothing that only looks like one. It is pure.
package timetext
