// Package sortable spells values as bytes whose order is that of the values, so
// that a binary sort key of DynamoDB sorts by them. It is pure.
//
// Every encoding ends by itself: what follows it in a key, such as the place of a
// comment among those with the same value, sorts only among equal values. Decode
// reads the value back. The first byte tells what a value is of, so that values of
// different kinds, which are never compared, do not lie between each other.
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
