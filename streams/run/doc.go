// Package run sees runs through: what is due, what nodes tell and what people want goes through the pure
// [oc-scheduler/store/run], and what follows goes out as orders.
//
// No process holds a run. Its record and its one timer stand in the plan; a timer that has fired, and each
// change of an execution, is handed to one replica by a consumer that all share, at least once. Whoever has it
// reads the record, decides, stores record and next timer together by compare-and-swap, and only then sends
// the orders: one that was overtaken decides again, and one that dies leaves a timer by which the orders go out
// again. An execution's name follows from its place in the run, so that an order has its effect once.
//
// Time is NATS's, on all replicas.
package run
