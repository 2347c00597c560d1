package timetext

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Errors of Seconds and of Duration.
var (
	ErrSeconds  = errors.New("not a number of seconds, as JSON writes numbers, that a duration holds")
	ErrDuration = errors.New("not a duration such as 1h30m")
)

// Seconds reads a JSON number of seconds, and cuts off what is finer than a nanosecond. It returns
// ErrSeconds for what is not one, and for more than 292 years.
func Seconds(number string) (time.Duration, error) {
	if !isNumber(number) {
		return 0, ErrSeconds
	}
	if length, err := time.ParseDuration(number + "s"); err == nil { // exact; it knows no powers of ten
		return length, nil
	}
	seconds, err := strconv.ParseFloat(number, 64)
	if err != nil || !(math.Abs(seconds)*1e9 < 1<<63) {
		return 0, ErrSeconds
	}
	return time.Duration(seconds * 1e9), nil
}

// isNumber says whether a text is a number of JSON, with nothing around it.
func isNumber(text string) bool {
	return strings.Trim(text, "0123456789+-.eE") == "" && jsontext.Value(text).IsValid()
}

// Duration reads a duration as Go writes them: decimals without a sign or an end missing, each with its
// unit, or 0. It returns ErrDuration.
func Duration(text string) (time.Duration, error) {
	length, err := time.ParseDuration(text)
	if err != nil || !isDuration(text) {
		return 0, ErrDuration
	}
	return length, nil
}

// isDuration says whether each number of a duration has digits on both sides of its point, and no sign
// stands before the first. Go takes +.5s and 5.s.
func isDuration(text string) bool {
	if strings.HasPrefix(text, "+") {
		return false
	}
	for i := range len(text) {
		if text[i] == '.' && (i == 0 || i+1 == len(text) || text[i-1]-'0' > 9 || text[i+1]-'0' > 9) {
			return false
		}
	}
	return true
}
