// Package compute is a node's end of the connection to the scheduler. A ConnectionManager keeps it up:
// the scheduler learns what the node has and that it lives, gives it orders, hears of its events, and
// reads the output of its executions.
//
// # What a node has to do
//
// Config names what a node brings along, and Example is a whole one. It has to
//
//   - say who it is (NodeInfoProvider), and what it offers (OfferProvider): capacities, and what others have booked
//     on them, as a planner does, for the scheduler makes its peer's planner of that. Without an offer it gets
//     orders only by its name;
//   - keep a ledger on its disk (EventStore; watcher.OpenBolt), which is never copied to another node. All that it
//     tells is stored there first, connected or not, and sent from there; MessageCreator makes the message;
//   - carry out orders (DataPlaneMessageHandler), each once though it may come twice: RunExecution by the execution's id,
//     also when it has ended, or was cancelled before it came; BookSlots and ReleaseSlots by the booking's id
//     and revision. Each is answered by an event: ExecutionChanged for every state, BookingChanged;
//   - when its program starts, before Start, tell that what had begun has failed, and run what waited: nobody else
//     knows;
//   - keep output (LogStreamServer; logstream.NewFiles), from the execution's start until it is old.
//
// The payloads of orders and events are registered under their names (nclprotocol.RegisterExecution has those of this
// scheduler); a handler is given a pointer to the type that was registered. Start returns at once, and connecting
// goes on until it succeeds; Close says goodbye, and the ledger is closed after it. The streams are the scheduler's, who
// makes them. What a node's user of NATS must be permitted is in the README of nclprotocol.
//
// A node that is refused tries again. Its log and GetHealth have the reason, and so have the scheduler's log and
// metric node_handshakes_total; one that waits for approval, or has another's id, also `oc-scheduler nodes`.
//
// # What is promised
//
// Events arrive at least once and in the order of the ledger, as long as it keeps them, whatever is lost
// in between: they are sent again from where the scheduler says that it stands. It recognises repeats by
// the ledger's id and the event's number. One that no message can be made of is logged and left out.
//
// The newest offer arrives: it is told after each handshake and at each change, one at a time, until the
// scheduler answers. What changes faster is conflated. GetHealth tells why one is refused.
//
// Orders are handled one after the other, in the order of the scheduler, at least once: after a crash,
// those handled since the last checkpoint come again, and a handler that fails is called again, after
// pauses of a second in all. It must be idempotent. It may take its time: heartbeats go on meanwhile.
//
// A connection is lost when NATS is, when no heartbeat is answered for HeartbeatInterval ×
// HeartbeatMissFactor, when messages may be missing, or when the scheduler wants another handshake. Then
// another session begins: at once, with a little jitter, after one that lasted; else with ReconnectBackoff.
//
// State handlers are called one after the other, and the manager waits for them. They may call all of
// its methods. A MessageHandler must not call Close, which waits for it.
//
// # What is not
//
// That the scheduler is there: GetHealth says since when it is, or why not. That an order is handled
// once; nor that it is handled at all when the handler fails with ncl.Permanent or panics, or when the
// order is of a type that is not registered: it is logged and passed over. For any other error it is
// tried again, while those after it wait; GetHealth counts those that were passed over. That Close waits for
// events to be sent: what it leaves in the ledger is sent by the next session.
//
// What a node brings along may panic: that is a failure of that call, and neither ends the program nor holds up
// the manager.
//
// All time goes by Config.Clock, but for the deadlines of contexts that come from outside.
package compute
