// Package ui is the page: what people look at. Every view is rendered here, by the server, from the same
// views and checks that the API answers from; what a view shows is there without JavaScript, and a form
// works without it. One small module of our own (static/live.js) keeps a view live: by a WebSocket of the page's own
// address it is told what the server renders when something changes, once for all who look at the same, and replaces
// what differs.
//
// Numbers and shapes come from pure functions: a Question from the address, a Timeline from a workflow,
// planners and an answer. Positions are attributes of SVG, so that no style has to be allowed inline.
//
// Whatever a form changes it changes once: each rendering has a key that its forms send, under which the fleet does what is
// asked and keeps what page has come of it. A press that comes again is shown that page.
//
// Nothing here changes anything on GET, and looking asks nobody for planners: what is missing is unknown
// until the live part of a view watches.
package ui
