// Package execute runs what a compute node is ordered to run.
//
// There are two executors. Sleep passes the time inside this process; it is what a node does unless it
// is told otherwise. Process starts programs, and only those that the node's configuration lists: no
// shell, a clean environment, a directory and a process group of their own, resource limits.
//
// Each program runs under a keeper: this same executable, started again, which sets the limits, adopts
// every process that the program leaves behind (PR_SET_CHILD_SUBREAPER), and kills all of them when the
// program has ended, when it is cancelled, and when the node itself is gone, however it went. A program
// that kills its own keeper escapes that; whoever runs hostile programs needs a container around the
// node. The main function of an executable that uses Process calls Keep first.
//
// Both are safe for concurrent use. Run returns when nothing of the task is left.
package execute
