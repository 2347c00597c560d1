//go:build soak

package booking_test

const rounds, steps = 200, 5000
