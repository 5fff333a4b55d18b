package summary

import (
	"errors"
	"math/big"
	"strconv"
	"strings"

	"product-comments/store/key/sortable"
)

// Decimal is an exact sum of decimal numbers. The zero value is 0. Decimals are immutable.
type Decimal struct{ sum *big.Rat } // nil for 0

func decimalOf(sum *big.Rat) Decimal {
	if sum.Sign() == 0 {
		return Decimal{}
	}
	return Decimal{sum}
}

func (d Decimal) rat() *big.Rat {
	if d.sum == nil {
		return new(big.Rat)
	}
	return d.sum
}

// Times returns the product of a number and a count.
func Times(n sortable.Number, times int) Decimal {
	one, _ := new(big.Rat).SetString(n.String()) // always valid: String formats a number
	return decimalOf(one.Mul(one, big.NewRat(int64(times), 1)))
}

// Plus returns the sum of two decimals.
func (d Decimal) Plus(o Decimal) Decimal { return decimalOf(new(big.Rat).Add(d.rat(), o.rat())) }

// Equal reports whether two decimals are the same number.
func (d Decimal) Equal(o Decimal) bool { return d.rat().Cmp(o.rat()) == 0 }

// String formats the decimal for ParseDecimal, such as 45e-1: digits without trailing zeros, and an
// exponent of ten.
func (d Decimal) String() string {
	if d.sum == nil {
		return "0"
	}
	decimals, _ := d.sum.FloatPrec() // all of them, since it is a decimal
	unscaled, _ := new(big.Int).SetString(strings.Replace(d.sum.FloatString(decimals), ".", "", 1), 10)
	spelled := unscaled.String()
	digits := strings.TrimRight(spelled, "0")
	return digits + "e" + strconv.Itoa(len(spelled)-len(digits)-decimals)
}

var errNoDecimal = errors.New("it is not a sum of numbers")

// mostDigits bounds the digits and the exponent of a parsed sum. It has room for numbers of 256
// decades and for any count of them.
const mostDigits = 400

// ParseDecimal is the inverse of String. It returns an error for any other text.
func ParseDecimal(s string) (Decimal, error) {
	if s == "0" {
		return Decimal{}, nil
	}
	digits, e, _ := strings.Cut(s, "e")
	exponent, err := strconv.Atoi(e)
	if err != nil || len(digits) > mostDigits || exponent < -mostDigits || exponent > mostDigits {
		return Decimal{}, errNoDecimal
	}
	sum, ok := new(big.Rat).SetString(s)
	if !ok || decimalOf(sum).String() != s {
		return Decimal{}, errNoDecimal
	}
	return Decimal{sum}, nil
}

// Over returns the decimal divided by n, which must be above 0, as the nearest float.
func (d Decimal) Over(n int) float64 {
	f, _ := new(big.Rat).Quo(d.rat(), big.NewRat(int64(n), 1)).Float64()
	return f
}
