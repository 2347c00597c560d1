// Package doctor examines an installation: the NATS servers, what oc-scheduler keeps on them, and
// one replica. Each thing it looks at becomes a Finding, and what is not well says how to mend it.
//
// It changes nothing: it reads, and where only an attempt tells whether something is permitted, it
// sends messages that the server judges but neither delivers nor stores.
package doctor
