package planner_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/store/planner"
)

func TestParseAmount(t *testing.T) {
	t.Parallel()
	for number, want := range map[string][2]planner.Amount{ // down, up
		"0": {0, 0}, "-0": {0, 0}, "-0.0e9": {0, 0}, "0e99999999999999999999": {0, 0},
		"1": {1000, 1000}, "64": {64_000, 64_000}, "1.5": {1500, 1500}, "1.50000": {1500, 1500}, "0.001": {1, 1},
		"0.0001": {0, 1}, "1.0009": {1000, 1001}, "1e-99999999999999999999": {0, 1}, "1e3": {1e6, 1e6}, "1.25E+1": {12_500, 12_500},
		"999999999999": {999999999999000, 999999999999000}, "1000000000000": {1e15, 1e15}, "1000000000000000": {planner.MaxAmount, planner.MaxAmount},
		"999999999999999.9991": {planner.MaxAmount - 1, planner.MaxAmount}, "0.1e16": {planner.MaxAmount, planner.MaxAmount},
	} {
		for i, round := range []planner.Rounding{planner.Down, planner.Up} {
			if got, err := planner.ParseAmount(number, round); err != nil || got != want[i] {
				t.Errorf("ParseAmount(%s, %v) = %d, %v, want %d", number, round, got, err, want[i])
			}
		}
	}
}

func TestParseAmountRefuses(t *testing.T) {
	t.Parallel()
	for _, number := range []string{
		"", "-", "-1", "-0.0001", "--1", "+1", "1.", ".5", "1e", "1e+", "1e1_0", "1_0", "01", "00", "0x10", "NaN", "Infinity", " 1", "1 ", "1e1.5", "١",
		"1000000000000000.0001", "1e16", "1e18", "1e99999999999999999999", "99999999999999999999999",
	} {
		if got, err := planner.ParseAmount(number, planner.Up); !errors.Is(err, planner.ErrAmount) {
			t.Errorf("ParseAmount(%q) = %d, %v", number, got, err)
		}
	}
}

// TestParseAmountIsExact compares with rational arithmetic.
func TestParseAmountIsExact(t *testing.T) {
	t.Parallel()
	largest := new(big.Rat).SetInt64(int64(planner.MaxAmount / planner.Unit))
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,8})?([eE][-+]?[0-9]{1,2})?`).Draw(t, "number")
		exact, _ := new(big.Rat).SetString(number)
		valid := exact.Sign() >= 0 && exact.Cmp(largest) <= 0
		for _, round := range []planner.Rounding{planner.Down, planner.Up} {
			got, err := planner.ParseAmount(number, round)
			if (err == nil) != valid {
				t.Fatalf("ParseAmount(%s) = %d, %v", number, got, err)
			}
			if want := thousandths(exact, round); valid && got != want {
				t.Fatalf("ParseAmount(%s, %v) = %d, want %d", number, round, got, want)
			}
		}
	})
}

func thousandths(exact *big.Rat, round planner.Rounding) planner.Amount {
	scaled := new(big.Rat).Mul(exact, big.NewRat(1000, 1))
	whole, rest := new(big.Int).QuoRem(scaled.Num(), scaled.Denom(), new(big.Int))
	if round == planner.Up && rest.Sign() > 0 {
		whole.Add(whole, big.NewInt(1))
	}
	return planner.Amount(whole.Int64())
}

func TestParseAmountReadsJSONNumbersOnly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[-+]?[0-9]{0,3}\.?[0-9]{0,2}[eE]?[-+]?[0-9]{0,2}`).Draw(t, "text")
		var n json.Number
		number := json.Unmarshal([]byte(text), &n) == nil
		if _, err := planner.ParseAmount(text, planner.Down); err == nil && !number {
			t.Fatalf("ParseAmount(%q) reads what is no number", text)
		}
	})
}

func TestAmountIsWrittenExactly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := planner.Amount(rapid.Int64Range(0, int64(planner.MaxAmount)).Draw(t, "amount"))
		text, err := json.Marshal(a)
		if err != nil || string(text) != a.String() {
			t.Fatalf("Marshal = %s, %v; String = %s", text, err, a)
		}
		if back, err := planner.ParseAmount(a.String(), planner.Down); err != nil || back != a {
			t.Fatalf("%d is written %s and read back as %d, %v", a, a, back, err)
		}
	})
	for a, want := range map[planner.Amount]string{0: "0", 1: "0.001", 1500: "1.5", 1050: "1.05", 64_000: "64"} {
		if got := fmt.Sprint(a); got != want {
			t.Errorf("%d is written %s, want %s", int64(a), got, want)
		}
	}
}

func TestAmountArithmetic(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64Range(0, math.MaxInt64).Draw(t, "a"), rapid.Int64Range(0, math.MaxInt64).Draw(t, "b")
		sum := new(big.Int).Add(big.NewInt(a), big.NewInt(b))
		if got := planner.Amount(a).Add(planner.Amount(b)); got != saturated(sum) {
			t.Fatalf("%d + %d = %d", a, b, got)
		}
		if got := planner.Amount(a).Minus(planner.Amount(b)); int64(got) != max(a-b, 0) {
			t.Fatalf("%d - %d = %d", a, b, got)
		}
	})
}

func saturated(sum *big.Int) planner.Amount {
	if !sum.IsInt64() {
		return math.MaxInt64
	}
	return planner.Amount(sum.Int64())
}
