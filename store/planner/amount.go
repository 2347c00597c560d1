package planner

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Amount is a quantity of one dimension (cores, gigabytes …) in thousandths of its unit.
// It is never negative.
type Amount int64

const (
	// Unit is the Amount of 1.
	Unit Amount = 1000
	// MaxAmount is the largest amount that is read: 10^15 units. Sums may exceed it; they saturate.
	MaxAmount = 1_000_000_000_000_000 * Unit
)

// Rounding says which way an amount finer than a thousandth is rounded.
type Rounding bool

const (
	// Down is for what there is: never promise what is not there.
	Down Rounding = false
	// Up is for what is used or asked for: never forget a part of it.
	Up Rounding = true
)

// ErrAmount is wrapped by every error of ParseAmount.
var ErrAmount = errors.New("invalid amount")

// ParseAmount reads a JSON number exactly, without passing through floating point. It fails,
// wrapping ErrAmount, for a negative number, one above 10^15 and for text that is no JSON number.
func ParseAmount(number string, round Rounding) (Amount, error) {
	if v, ok := small(number); ok {
		return v, nil
	}
	digits, exponent, err := decimal(number)
	if err != nil {
		return 0, err
	}
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return 0, nil // also for -0
	}
	if number[0] == '-' {
		return 0, fmt.Errorf("%w: negative", ErrAmount)
	}
	whole := len(digits) + exponent + 3 // how many of the digits count whole thousandths
	if whole > 19 {
		return 0, tooLarge()
	}
	kept, rest := digits, ""
	if whole < len(digits) {
		kept, rest = digits[:max(whole, 0)], digits[max(whole, 0):]
	}
	v, err := strconv.ParseUint("0"+kept+strings.Repeat("0", max(whole, 0)-len(kept)), 10, 64)
	if err != nil || v > uint64(MaxAmount) {
		return 0, tooLarge()
	}
	if strings.Trim(rest, "0") == "" {
		return Amount(v), nil
	}
	if v == uint64(MaxAmount) {
		return 0, tooLarge()
	}
	if round == Up {
		v++
	}
	return Amount(v), nil
}

// small reads what nearly every amount is, a few digits, faster than ParseAmount does.
func small(number string) (Amount, bool) {
	if len(number) == 0 || len(number) > 12 || number[0] == '0' {
		return 0, false
	}
	v := Amount(0)
	for i := range len(number) {
		digit := number[i] - '0'
		if digit > 9 {
			return 0, false
		}
		v = 10*v + Amount(digit)
	}
	return v * Unit, true
}

func tooLarge() error {
	return fmt.Errorf("%w: above %d", ErrAmount, MaxAmount/Unit)
}

// decimal takes a JSON number apart: number = ±digits · 10^exponent.
func decimal(number string) (digits string, exponent int, err error) {
	mantissa, power, hasPower := strings.Cut(strings.ToLower(strings.TrimPrefix(number, "-")), "e")
	if hasPower {
		// A power outside this range is decided by its sign alone; 10^±1000000 is as good as any.
		exponent, err = strconv.Atoi(power)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return "", 0, fmt.Errorf("%w: not a number", ErrAmount)
		}
		exponent = min(max(exponent, -1_000_000), 1_000_000)
	}
	whole, fraction, hasPoint := strings.Cut(mantissa, ".")
	digits = whole + fraction
	if whole == "" || len(whole) > 1 && whole[0] == '0' || hasPoint && fraction == "" || strings.Trim(digits, "0123456789") != "" {
		return "", 0, fmt.Errorf("%w: not a number", ErrAmount)
	}
	return digits, exponent - len(fraction), nil
}

// Add is a + b, saturating at the largest Amount instead of wrapping.
func (a Amount) Add(b Amount) Amount {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Minus is what is left of a when b is taken away; 0 when b is more.
func (a Amount) Minus(b Amount) Amount { return max(a-b, 0) }

// String is the amount as the shortest exact decimal of its unit: 1500 thousandths are "1.5".
func (a Amount) String() string { return string(a.AppendText(nil)) }

// AppendText appends what String returns.
func (a Amount) AppendText(b []byte) []byte {
	b = strconv.AppendInt(b, int64(a/Unit), 10)
	fraction := int64(a % Unit)
	if fraction == 0 {
		return b
	}
	b = append(b, '.', byte('0'+fraction/100), byte('0'+fraction/10%10), byte('0'+fraction%10))
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b
}

// MarshalJSON writes the amount as a JSON number of its unit.
func (a Amount) MarshalJSON() ([]byte, error) { return a.AppendText(nil), nil }
