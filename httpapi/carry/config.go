package carry

import (
	"cmp"
	"time"
)

// Config is how streams are carried. A zero value means the default.
type Config struct {
	MaxStreams          int   // open streams; default 20000
	MaxStreamsPerClient int   // of one client; default 1000
	MaxMessage          int64 // bytes of a client's WebSocket message, 1009 above; default 64 KiB

	FirstMessage time.Duration // from the upgrade to the first message, where one has to come; default 10 s
	PingEvery    time.Duration // between pings; default 25 s
	PongWithin   time.Duration // for the answer to a ping; default 10 s
	WriteWithin  time.Duration // for a client to take a frame, then it is cut; default 10 s
	CommentEvery time.Duration // between comments of server-sent events; default 15 s
	DrainSpread  time.Duration // over which the closing of many streams is spread; default 10 s
}

func (c Config) withDefaults() Config {
	c.MaxStreams = cmp.Or(c.MaxStreams, 20_000)
	c.MaxStreamsPerClient = cmp.Or(c.MaxStreamsPerClient, 1000)
	c.MaxMessage = cmp.Or(c.MaxMessage, 64<<10)
	c.FirstMessage = cmp.Or(c.FirstMessage, 10*time.Second)
	c.PingEvery = cmp.Or(c.PingEvery, 25*time.Second)
	c.PongWithin = cmp.Or(c.PongWithin, 10*time.Second)
	c.WriteWithin = cmp.Or(c.WriteWithin, 10*time.Second)
	c.CommentEvery = cmp.Or(c.CommentEvery, 15*time.Second)
	c.DrainSpread = cmp.Or(c.DrainSpread, 10*time.Second)
	return c
}

// Hooks are what carriers tell of. None may block.
type Hooks struct {
	Wrote    func(carrier string, f Frame) // a client has taken a frame
	Panicked func(v any)                   // a source has, whose stream ends with Fault; called in the deferred function
}
