// Package histories keeps what has become of runs, schedules and holds, in the stream OC_HISTORY: each thing's transitions
// on a subject of its own, in order, each once.
//
// They come from logs that their records have, written by the commits that brought them about. Whoever passes a log on
// reads how far the history has come, and appends what is missing, each item only behind the one before it: so it does
// not matter how many do so, how often, or where they die. The derivation from successive records, which needs no log,
// was not taken: a bucket keeps the newest record only, and transitions in between would be lost.
//
// Beside them it keeps, for each booking, what was said of it on the bus last.
package histories
