// Package sortable encodes values as bytes that compare like the values, for binary sort keys
// of DynamoDB. It is pure.
//
// Every encoding is self-delimiting: what follows it in a key, such as the position of a
// comment, orders only keys with equal values. Decode is the inverse. The first byte is the
// kind, so that values of different kinds, which are never compared, do not mix.
//
//	10 ^e ^d … ff    a negative number: the complement of the positive one
//	11               zero
//	12 e  d … 00     a positive number: its exponent, two digits a byte, an end
//	20, 21           false, true
//	30 s×5 n×4       an instant: seconds since the year 1, nanoseconds
//	40 p p           a choice: its position among the choices
//	50 text          a text in the order of its bytes
//	51 weights text  a text in the order of a language: weights of package collate
//
// A text, and weights, are spelled with 00 as 00 ff, and end with 00 01, or with 00 02
// where they were cut: texts that agree as far as that are equal in order, and IsCut
// says that they need not be equal.
package sortable
