// Package ui is the page: what people look at. Every view is rendered here, by the server, from the same
// views and checks that the API answers from; what a view shows is there without JavaScript, and a form
// works without it. One small module of our own (static/live.js) keeps a view live over one WebSocket, the
// check stream or news of its own, and replaces what has changed with what the server renders.
//
// Numbers and shapes come from pure functions: a Question from the address, a Timeline from a workflow,
// planners and an answer. Positions are attributes of SVG, so that no style has to be allowed inline.
//
// Nothing here changes anything on GET, and looking asks nobody for planners: what is missing is unknown
// until the live part of a view watches.
package ui
