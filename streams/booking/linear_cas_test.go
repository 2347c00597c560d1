//go:build !nocas

package booking_test

const comparesAndSwaps = true
