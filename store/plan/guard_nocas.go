//go:build nocas

package plan

// guarded: see guard.go.
const guarded = false
