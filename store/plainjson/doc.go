// Package plainjson reads JSON text in which nothing is unusual, which is nearly all that programs write,
// at a fraction of the cost of a decoder. What is unusual, or wrong, it leaves to one: it never says why.
package plainjson
