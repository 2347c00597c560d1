//go:build !soak

package booking_test

const (
	rounds = 20  // of TestOneOfManyHasIt
	steps  = 200 // of TestAPlanIsAsItsTwin
)
