package dynamo

import (
	"cmp"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// Decimal is a number as DynamoDB stores it: ± 0.digits × 10^exponent, with no zeros at either end
// of the digits. Zero has no digits.
type Decimal struct {
	negative bool
	digits   string
	exponent int
}

const (
	maxDigits   = 38
	maxExponent = 126  // numbers are below 10^126
	minExponent = -129 // and not closer to zero than 10^-130
)

// ParseNumber parses a number with or without an exponent. Errors are ValidationExceptions.
func ParseNumber(s string) (Decimal, error) {
	mantissa, exponent := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(s[i+1:]); err != nil {
			return Decimal{}, Invalid("The parameter cannot be converted to a numeric value: %s", s)
		}
		mantissa = s[:i]
	}
	var d Decimal
	switch {
	case strings.HasPrefix(mantissa, "-"):
		d.negative, mantissa = true, mantissa[1:]
	case strings.HasPrefix(mantissa, "+"):
		mantissa = mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return Decimal{}, Invalid("The parameter cannot be converted to a numeric value: %s", s)
	}
	significant := strings.TrimLeft(digits, "0")
	d.exponent = exponent + len(whole) - (len(digits) - len(significant))
	d.digits = strings.TrimRight(significant, "0")
	return d.checked()
}

// checked refuses a number that DynamoDB cannot store, and removes the sign and the exponent of
// zero.
func (d Decimal) checked() (Decimal, error) {
	switch {
	case d.digits == "":
		return Decimal{}, nil
	case len(d.digits) > maxDigits:
		return Decimal{}, Invalid("Attempting to store more than 38 significant digits in a Number")
	case d.exponent > maxExponent:
		return Decimal{}, Invalid("Number overflow. Attempting to store a number with magnitude larger than supported range")
	case d.exponent < minExponent:
		return Decimal{}, Invalid("Number underflow. Attempting to store a number with magnitude smaller than supported range")
	}
	return d, nil
}

// String returns the number without an exponent.
func (d Decimal) String() string {
	if d.digits == "" {
		return "0"
	}
	sign := ""
	if d.negative {
		sign = "-"
	}
	switch n := len(d.digits); {
	case d.exponent <= 0:
		return sign + "0." + strings.Repeat("0", -d.exponent) + d.digits
	case d.exponent >= n:
		return sign + d.digits + strings.Repeat("0", d.exponent-n)
	default:
		return sign + d.digits[:d.exponent] + "." + d.digits[d.exponent:]
	}
}

// sortable returns the number as a text. The texts have the order of the numbers.
func (d Decimal) sortable() string {
	if d.digits == "" {
		return "1"
	}
	text := fmt.Sprintf("%03d%s", d.exponent+200, d.digits)
	if !d.negative {
		return "2" + text
	}
	mirrored := []byte(text)
	for i, c := range mirrored {
		mirrored[i] = '0' + '9' - c
	}
	return "0" + string(mirrored) + "~" // -1.5 comes before -1
}

func (d Decimal) Compare(e Decimal) int { return cmp.Compare(d.sortable(), e.sortable()) }

// plus returns the sum, or an error if it is out of range.
func (d Decimal) plus(e Decimal) (Decimal, error) {
	low := min(d.exponent-len(d.digits), e.exponent-len(e.digits))
	sum := new(big.Int).Add(d.scaled(low), e.scaled(low))
	return ParseNumber(sum.String() + "e" + strconv.Itoa(low))
}

// scaled returns the number divided by 10^low. The quotient must be an integer.
func (d Decimal) scaled(low int) *big.Int {
	n, _ := new(big.Int).SetString("0"+d.digits, 10)
	shift := int64(d.exponent - len(d.digits) - low)
	n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(shift), nil))
	if d.negative {
		n.Neg(n)
	}
	return n
}
