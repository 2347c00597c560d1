// Package calendar says when a schedule's occurrences are: cron text, read strictly, in a time zone, with
// a policy for the local times that a change of the clocks skips or repeats. It is pure: the zones are
// those of the database that it embeds, whatever the machine has, so that every replica answers alike.
//
// A [Cron] whose hour field is literally * or */n means instants: each one whose local time matches, once.
// Any other means wall-clock times: one that the clocks skip is shifted to the first instant after the
// gap, or skipped ([Gap]); one that they repeat is its first or last instant, or both ([Ambiguity]).
//
// An occurrence has a nominal time, which names it: a local time with its offset, in a gap the offset
// before it. None starts at the instant of another: what was shifted gives way to what was not, and else
// to what has the earlier nominal time.
//
// The fields are read here and not by a library: none says what is wrong in words for people, and each
// takes more than is wanted (seconds, years, zones, L, W, #) and decides otherwise which of the two day
// fields counts.
package calendar
