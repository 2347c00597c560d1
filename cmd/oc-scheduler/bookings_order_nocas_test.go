//go:build long && nocas

package main

// With the tag nocas the check of linearizability has to fail: it shows that it can.
const comparesAndSwaps = false
