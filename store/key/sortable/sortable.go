// Package sortable encodes values as bytes that compare like the values, for binary sort keys
// of DynamoDB. It is pure.
//
// Every encoding is self-delimiting: the rest of a key, such as the position of a comment,
// orders only keys with equal values. Decode is the inverse. The first byte is the kind, so
// that values of different kinds do not mix.
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
// Texts and weights have 00 ff for a byte 00. They end with 00 01, or with 00 02 if they were cut
// off: texts that are equal up to there have the same encoding, and IsCut reports that they may
// differ.
package sortable

import (
	"encoding/binary"
	"time"
)

// The first bytes of encodings.
const (
	negative byte = 0x10
	zero     byte = 0x11
	positive byte = 0x12
	no       byte = 0x20
	yes      byte = 0x21
	instant  byte = 0x30
	choice   byte = 0x40
	plain    byte = 0x50
	collated byte = 0x51
)

// Kind is the kind of a value.
type Kind uint8

// The kinds of values.
const (
	KindNumber Kind = iota + 1
	KindBoolean
	KindDate
	KindChoice
	KindText
)

// Value is a decoded value. The field of its kind is set.
type Value struct {
	Kind    Kind
	Number  Number
	Boolean bool
	Date    time.Time // UTC
	Choice  int       // its position among the choices
	Text    string    // possibly cut off
	Cut     bool      // the text was longer
}

// AppendBoolean appends a truth value: false comes first.
func AppendBoolean(dst []byte, b bool) []byte {
	if b {
		return append(dst, yes)
	}
	return append(dst, no)
}

// MaxChoice is the greatest position of a choice.
const MaxChoice = 1<<16 - 1

// AppendChoice appends the position of a choice, 0 to MaxChoice.
func AppendChoice(dst []byte, position int) []byte {
	return binary.BigEndian.AppendUint16(append(dst, choice), uint16(position))
}

// The instants that AppendDate takes: the years 1 to 9999.
var (
	MinDate = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	MaxDate = time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
)

// AppendDate appends an instant from MinDate to MaxDate.
func AppendDate(dst []byte, t time.Time) []byte {
	seconds := binary.BigEndian.AppendUint64(nil, uint64(t.Unix()-MinDate.Unix()))
	dst = append(append(dst, instant), seconds[3:]...)
	return binary.BigEndian.AppendUint32(dst, uint32(t.Nanosecond()))
}

// Decode returns the value at the start of b, and the rest of b. ok is false if no Append
// function appends such bytes.
func Decode(b []byte) (v Value, rest []byte, ok bool) {
	if len(b) == 0 {
		return v, nil, false
	}
	first, rest := b[0], b[1:]
	switch first {
	case zero:
		return Value{Kind: KindNumber}, rest, true
	case negative, positive:
		v.Kind = KindNumber
		v.Number, rest, ok = decodeNumber(rest, first == negative)
		return v, rest, ok
	case no, yes:
		return Value{Kind: KindBoolean, Boolean: first == yes}, rest, true
	case choice:
		if len(rest) < 2 {
			return v, nil, false
		}
		return Value{Kind: KindChoice, Choice: int(binary.BigEndian.Uint16(rest))}, rest[2:], true
	case instant:
		if len(rest) < 9 {
			return v, nil, false
		}
		seconds := binary.BigEndian.Uint64(append([]byte{0, 0, 0}, rest[:5]...))
		nanoseconds := binary.BigEndian.Uint32(rest[5:])
		v = Value{Kind: KindDate, Date: time.Unix(int64(seconds)+MinDate.Unix(), int64(nanoseconds)).UTC()}
		return v, rest[9:], nanoseconds < 1e9 && !v.Date.After(MaxDate)
	case plain, collated:
		v.Kind = KindText
		v.Text, v.Cut, rest, ok = decodeText(rest, first == collated)
		return v, rest, ok
	}
	return v, nil, false
}
