// Package reference makes what a page shows of the descriptions that programs read: an OpenAPI 3.1 document of the
// routes, and an AsyncAPI 3.0 document of what is told over time. It keeps their order, says types in words, and flattens
// members of members into rows. It knows the parts of both standards that our documents use.
//
// The package is pure.
package reference
