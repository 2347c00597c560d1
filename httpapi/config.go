package httpapi

import (
	"cmp"
	"net/netip"
	"time"

	"oc-scheduler/httpapi/carry"
	"oc-scheduler/httpapi/issuer"
)

// Config is how the server behaves. A zero value means the default of a field that has one.
type Config struct {
	Streams      carry.Config
	AllowOrigins []string // browser origins besides the host's own, scheme://host[:port]

	Auth   bool           // who asks has to say who he is
	Issuer *issuer.Issuer // who vouches for people; nil: nobody does

	TrustedProxies []netip.Prefix // whose X-Forwarded-For and -Proto count
	Unproxied      bool           // nobody is asked who he is, for nobody else than this machine's users comes: what a proxy passes on is refused

	// How many requests a second one subject may make while Auth is on, and twice that at once; 0: any number.
	ReadsPerSecond, WritesPerSecond float64

	MaxBody int64 // bytes of a request body, 413 above; default 1 MiB

	MaxWait time.Duration // what ?wait= is cut to; default 30 s

	ReadTimeout  time.Duration // for a request with its body; default 30 s
	WriteTimeout time.Duration // for an answer, streams have WriteWithin instead; default 60 s
}

func (c Config) withDefaults() Config {
	c.MaxBody = cmp.Or(c.MaxBody, 1<<20)
	c.MaxWait = cmp.Or(c.MaxWait, 30*time.Second)
	c.ReadTimeout = cmp.Or(c.ReadTimeout, 30*time.Second)
	c.WriteTimeout = cmp.Or(c.WriteTimeout, 60*time.Second)
	return c
}

// Validate reports all that is wrong with the configuration, naming the flags.
func (c Config) Validate() error { return origins(c.AllowOrigins).validate() }
