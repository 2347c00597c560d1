//go:build !nocas

package plan

// guarded: commits replace heads. Without that, with the tag nocas, the check of linearizability has to fail.
const guarded = true
