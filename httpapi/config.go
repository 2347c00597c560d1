package httpapi

import (
	"cmp"
	"time"
)

// Config is how the server behaves. A zero value of any field but AllowOrigins means its default.
type Config struct {
	AllowOrigins []string // browser origins besides the host's own, scheme://host[:port]

	MaxStreams          int   // open streams, 429 above; default 20000
	MaxStreamsPerClient int   // of one address (IPv6: of one /64); default 1000
	MaxBody             int64 // bytes of a request body, 413 above; default 1 MiB
	MaxMessage          int64 // bytes of a client's WebSocket message, 1009 above; default 64 KiB

	FirstRequest time.Duration // from the upgrade to the first message; default 10 s
	PingEvery    time.Duration // between pings; default 25 s
	PongWithin   time.Duration // for the answer to a ping; default 10 s
	WriteWithin  time.Duration // for a client to take a frame, then it is cut; default 10 s
	CommentEvery time.Duration // between comments of server-sent events; default 15 s
	MaxWait      time.Duration // what ?wait= is cut to; default 30 s
	DrainSpread  time.Duration // over which the closing of many streams is spread; default 10 s

	ReadTimeout  time.Duration // for a request with its body; default 30 s
	WriteTimeout time.Duration // for an answer, streams have WriteWithin instead; default 60 s
}

func (c Config) withDefaults() Config {
	c.MaxStreams = cmp.Or(c.MaxStreams, 20_000)
	c.MaxStreamsPerClient = cmp.Or(c.MaxStreamsPerClient, 1000)
	c.MaxBody = cmp.Or(c.MaxBody, 1<<20)
	c.MaxMessage = cmp.Or(c.MaxMessage, 64<<10)
	c.FirstRequest = cmp.Or(c.FirstRequest, 10*time.Second)
	c.PingEvery = cmp.Or(c.PingEvery, 25*time.Second)
	c.PongWithin = cmp.Or(c.PongWithin, 10*time.Second)
	c.WriteWithin = cmp.Or(c.WriteWithin, 10*time.Second)
	c.CommentEvery = cmp.Or(c.CommentEvery, 15*time.Second)
	c.MaxWait = cmp.Or(c.MaxWait, 30*time.Second)
	c.DrainSpread = cmp.Or(c.DrainSpread, 10*time.Second)
	c.ReadTimeout = cmp.Or(c.ReadTimeout, 30*time.Second)
	c.WriteTimeout = cmp.Or(c.WriteTimeout, 60*time.Second)
	return c
}

// Validate reports all that is wrong with the configuration, naming the flags.
func (c Config) Validate() error { return origins(c.AllowOrigins).validate() }
