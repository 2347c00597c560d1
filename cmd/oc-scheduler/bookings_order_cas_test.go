//go:build long && !nocas

package main

const comparesAndSwaps = true
