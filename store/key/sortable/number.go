package sortable

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The limits of numbers in DynamoDB (Amazon DynamoDB Developer Guide, "Supported data types and
// naming rules"): 38 digits, and exponents of ten of the first digit.
const (
	MaxDigits   = 38
	minExponent = -130
	maxExponent = 125
)

// Number is an exact decimal number of DynamoDB. The zero value is 0, and equal numbers are
// equal values.
type Number struct {
	digits   string // without zeros at its ends; empty for 0
	exponent int    // of ten, of the first digit
	negative bool
}

// The errors of texts that are no Number.
var (
	ErrNotANumber = errors.New("it is not a number such as 4.5 or -1e3")
	ErrTooPrecise = fmt.Errorf("it has more than %d digits", MaxDigits)
	ErrOutOfRange = errors.New("its size is not from 1e-130 to 9.99e125")
)

// ParseNumber reads a number: a sign, digits with a point among them, an exponent. It
// returns ErrNotANumber, ErrTooPrecise or ErrOutOfRange.
func ParseNumber(s string) (Number, error) {
	// Without other characters, ParseFloat accepts no words, digits of other bases or underscores.
	if _, err := strconv.ParseFloat(s, 64); errors.Is(err, strconv.ErrSyntax) || strings.Trim(s, "+-.0123456789eE") != "" {
		return Number{}, ErrNotANumber
	}
	n := Number{negative: s[0] == '-'}
	mantissa, e, _ := strings.Cut(strings.ToLower(strings.TrimLeft(s, "+-")), "e")
	exponent, err := strconv.Atoi(cmp.Or(e, "0"))
	if err != nil || exponent > 1<<20 || exponent < -1<<20 {
		exponent = 1 << 20 // of 0 it does not matter
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	significant := strings.TrimLeft(digits, "0")
	n.exponent = exponent + len(whole) - 1 - (len(digits) - len(significant))
	n.digits = strings.TrimRight(significant, "0")
	switch {
	case n.digits == "":
		return Number{}, nil
	case len(n.digits) > MaxDigits:
		return Number{}, ErrTooPrecise
	case n.exponent < minExponent || n.exponent > maxExponent:
		return Number{}, ErrOutOfRange
	}
	return n, nil
}

// grouped matches a number with one separator, which may separate a fraction or groups of three
// digits.
var grouped = regexp.MustCompile(`^[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}$`)

// Ambiguous returns an error if a text has its only separator before three digits, such as 1,000
// or 2.500: people may mean a fraction or a thousand. The error says how to write either.
// Numbers of a program are not ambiguous: their separator is the decimal point.
func Ambiguous(s string) error {
	if !grouped.MatchString(s) {
		return nil
	}
	at := strings.IndexAny(s, ".,")
	whole, fraction := s[:at]+s[at+1:], s[:at]+"."+s[at+1:]
	return fmt.Errorf("%q may be %s or %s: write %[2]s, or with one more decimal %[3]s0", s, whole, fraction)
}

// plainDigits is the most digits of a number that is spelled without an exponent.
const plainDigits = 21

// String spells the number in the one way that JSON, DynamoDB and ParseNumber accept: without an
// exponent, unless it would have more than 21 digits.
func (n Number) String() string {
	if n.digits == "" {
		return "0"
	}
	var b strings.Builder
	if n.negative {
		b.WriteByte('-')
	}
	switch e := n.exponent; {
	case e >= plainDigits || e < 0 && len(n.digits)-e > plainDigits:
		b.WriteString(n.digits[:1])
		if len(n.digits) > 1 {
			b.WriteString("." + n.digits[1:])
		}
		b.WriteString("e" + strconv.Itoa(e))
	case e < 0:
		b.WriteString("0." + strings.Repeat("0", -e-1) + n.digits)
	case len(n.digits) <= e+1:
		b.WriteString(n.digits + strings.Repeat("0", e+1-len(n.digits)))
	default:
		b.WriteString(n.digits[:e+1] + "." + n.digits[e+1:])
	}
	return b.String()
}

// Float returns the number as the nearest float of 64 bits, which holds all sizes.
func (n Number) Float() float64 {
	f, _ := strconv.ParseFloat(n.String(), 64) // String spells numbers only
	return f
}

// Leading returns the first digit, negative for a negative number, and its exponent of ten.
func (n Number) Leading() (digit, exponent int) {
	if n.digits == "" {
		return 0, 0
	}
	if digit = int(n.digits[0] - '0'); n.negative {
		digit = -digit
	}
	return digit, n.exponent
}

// AppendNumber appends a number.
func AppendNumber(dst []byte, n Number) []byte {
	if n.digits == "" {
		return append(dst, zero)
	}
	first := len(dst)
	dst = append(dst, positive, byte(n.exponent-minExponent))
	for i := 0; i < len(n.digits); i += 2 {
		pair := 10 * (n.digits[i] - '0')
		if i+1 < len(n.digits) {
			pair += n.digits[i+1] - '0'
		}
		dst = append(dst, pair+1) // 0 is the end
	}
	dst = append(dst, 0)
	if n.negative {
		dst[first] = negative
		complement(dst[first+1:])
	}
	return dst
}

func complement(b []byte) {
	for i := range b {
		b[i] = ^b[i]
	}
}

// decodeNumber decodes a number that is not 0, after its first byte.
func decodeNumber(b []byte, below bool) (n Number, rest []byte, ok bool) {
	at := func(i int) byte {
		if below {
			return ^b[i]
		}
		return b[i]
	}
	if len(b) < 3 {
		return n, nil, false
	}
	n = Number{negative: below, exponent: int(at(0)) + minExponent}
	digits := make([]byte, 0, MaxDigits+2)
	for i := 1; i < len(b) && len(digits) <= MaxDigits; i++ {
		pair := at(i)
		if pair == 0 {
			n.digits = strings.TrimRight(string(digits), "0")
			return n, b[i+1:], n.digits != "" && len(n.digits) >= len(digits)-1 && n.digits[0] != '0'
		}
		if pair > 100 {
			break
		}
		digits = append(digits, '0'+(pair-1)/10, '0'+(pair-1)%10)
	}
	return n, nil, false
}
