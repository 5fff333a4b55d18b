package summary

import (
	"errors"
	"math/big"
	"strconv"
	"strings"

	"product-comments/store/sortable"
)

// Decimal is a sum of decimal numbers, exactly: unscaled × 10^exponent. The zero value
// is 0. It is a value: no function changes one.
type Decimal struct {
	unscaled *big.Int // nil for 0, and then without zeros at its end
	exponent int
}

var ten = big.NewInt(10)

// decimalOf returns the decimal in its one form.
func decimalOf(unscaled *big.Int, exponent int) Decimal {
	if unscaled.Sign() == 0 {
		return Decimal{}
	}
	for rest := new(big.Int); ; exponent++ {
		quotient, _ := new(big.Int).QuoRem(unscaled, ten, rest)
		if rest.Sign() != 0 {
			return Decimal{unscaled, exponent}
		}
		unscaled = quotient
	}
}

// Times returns a number so many times.
func Times(n sortable.Number, times int) Decimal {
	unscaled, exponent := n.Unscaled()
	return decimalOf(unscaled.Mul(unscaled, big.NewInt(int64(times))), exponent)
}

// Plus returns the sum of two decimals.
func (d Decimal) Plus(o Decimal) Decimal {
	switch {
	case d.unscaled == nil:
		return o
	case o.unscaled == nil:
		return d
	case d.exponent < o.exponent:
		d, o = o, d
	}
	scaled := new(big.Int).Exp(ten, big.NewInt(int64(d.exponent-o.exponent)), nil)
	scaled.Mul(scaled, d.unscaled)
	return decimalOf(scaled.Add(scaled, o.unscaled), o.exponent)
}

// Equal tells whether two decimals are the same number.
func (d Decimal) Equal(o Decimal) bool { return d.String() == o.String() }

// String spells the decimal as ParseDecimal reads it, such as 45e-1.
func (d Decimal) String() string {
	if d.unscaled == nil {
		return "0"
	}
	return d.unscaled.String() + "e" + strconv.Itoa(d.exponent)
}

var errNoDecimal = errors.New("it is no sum of numbers")

// mostDigits bounds a sum that is read: numbers of 256 decades, and as many of them as
// can be counted.
const mostDigits = 400

// ParseDecimal is the inverse of String.
func ParseDecimal(s string) (Decimal, error) {
	if s == "0" {
		return Decimal{}, nil
	}
	digits, e, _ := strings.Cut(s, "e")
	exponent, err := strconv.Atoi(e)
	if err != nil || len(digits) > mostDigits || exponent < -mostDigits || exponent > mostDigits {
		return Decimal{}, errNoDecimal
	}
	unscaled, ok := new(big.Int).SetString(digits, 10)
	if !ok {
		return Decimal{}, errNoDecimal
	}
	d := decimalOf(unscaled, exponent)
	if d.String() != s {
		return Decimal{}, errNoDecimal
	}
	return d, nil
}

// Over returns the decimal divided by a count above 0, as the nearest float.
func (d Decimal) Over(n int) float64 {
	if d.unscaled == nil {
		return 0
	}
	scale := new(big.Int).Exp(ten, big.NewInt(int64(max(d.exponent, -d.exponent))), nil)
	above, below := new(big.Int).Set(d.unscaled), big.NewInt(int64(n))
	if d.exponent < 0 {
		below.Mul(below, scale)
	} else {
		above.Mul(above, scale)
	}
	f, _ := new(big.Rat).SetFrac(above, below).Float64()
	return f
}
