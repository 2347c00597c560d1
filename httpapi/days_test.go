package httpapi_test

import "time"

var today = time.Now().UTC()

// on is the date of the n-th of the days for which the tests book: some weeks ahead, for what is over can't be booked.
func on(n int) string { return today.AddDate(0, 0, 24+n).Format(time.DateOnly) }
