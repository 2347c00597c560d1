// Package live has those who look at the same thing share the work of showing it: a view is rendered once when
// something changes, whoever looks, and each of them is told the same bytes.
//
// A view has one goroutine, which ends when the last looker has left; a Looker has none: its carrier polls it. Changes
// that come while a view is rendered, or rests, are told by one rendering, so the newest state is what is told last and
// nothing is queued. A view rests between two renderings, longer where they take long: what one costs is bounded, however
// often something changes and however many look.
//
// What is not promised: a message for every change, or that what is looked at was rendered after it was joined.
package live
