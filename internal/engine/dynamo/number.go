package dynamo

import (
	"errors"
	"math/big"
	"strconv"

	"product-comments/store/key/sortable"
)

// ParseNumber parses a number with or without an exponent. Errors are ValidationExceptions.
func ParseNumber(s string) (sortable.Number, error) {
	n, err := sortable.ParseNumber(s)
	switch {
	case errors.Is(err, sortable.ErrTooPrecise):
		err = Invalid("Attempting to store more than 38 significant digits in a Number")
	case errors.Is(err, sortable.ErrOutOfRange):
		err = Invalid("Number overflow or underflow. Attempting to store a number with magnitude outside of the supported range")
	case err != nil:
		err = Invalid("The parameter cannot be converted to a numeric value: %s", s)
	}
	return n, err
}

// sum returns the sum of two stored numbers, or an error if it is out of range.
func sum(a, b *number) (Value, error) {
	const most = 1 << 32 // so that the sum fits into 64 bits

	if i, j, whole := wholes(a, b); whole && -most < i && i < most && -most < j && j < most { // as nearly always
		return &number{Value: strconv.FormatInt(i+j, 10)}, nil
	}
	x, _ := new(big.Rat).SetString(a.Value)
	y, _ := new(big.Rat).SetString(b.Value)
	n, err := ParseNumber(x.Add(x, y).FloatString(130 + sortable.MaxDigits)) // all decimals that a number may have
	return &number{Value: n.String()}, err
}
