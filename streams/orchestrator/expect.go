package orchestrator

import (
	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/streams/nclprotocol"
)

// Expect lists the streams that Open needs on the server at a replication of 1, 3 or 5.
func Expect(copies int) []jet.Expected {
	return []jet.Expected{{Stream: nclprotocol.OutLayout(copies)}, {Stream: nclprotocol.InLayout(copies)}}
}

// Publishes lists the subjects beside those of buckets and streams on which a replica publishes, for a
// node of that id.
func Publishes(nodeID string) []string {
	out, in := nclprotocol.OutStream+"."+nodeID, nclprotocol.InConsumer(nodeID)
	return []string{
		nclprotocol.InSubject(nodeID), nclprotocol.LogSubject(nodeID), nclprotocol.InboxPrefix(nodeID) + ".answer",
		store.CursorSubject(nodeID), deadSubject + nclprotocol.OutSubject(nodeID),
		"$JS.API.DIRECT.GET." + "KV_" + store.ExecutionsBucket,
		"$JS.API.CONSUMER.CREATE." + out + "." + nclprotocol.AllOut, "$JS.API.CONSUMER.DELETE." + out, "$JS.API.CONSUMER.MSG.NEXT." + out,
		"$JS.API.CONSUMER.CREATE." + nclprotocol.InStream + "." + in + "." + nclprotocol.InSubject(nodeID),
		"$JS.API.CONSUMER.DELETE." + nclprotocol.InStream + "." + in, "$JS.API.CONSUMER.INFO." + nclprotocol.InStream + "." + in,
		"$JS.API.STREAM.MSG.GET." + nclprotocol.InStream, "$JS.API.STREAM.MSG.DELETE." + nclprotocol.InStream,
	}
}
