package auth

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxSubject is the most bytes of a subject (OpenID Connect Core 1.0, section 2).
const MaxSubject = 255

// CheckSubject refuses a subject that is empty, too long, not UTF-8, or that looks like
// another one: with characters that cannot be seen, with white space around it, or not
// in composed form (NFC).
func CheckSubject(s string) error {
	switch {
	case s == "":
		return errors.New("the subject is empty")
	case len(s) > MaxSubject:
		return fmt.Errorf("the subject has %d bytes, the limit is %d", len(s), MaxSubject)
	case !utf8.ValidString(s):
		return errors.New("the subject is not valid UTF-8")
	}
	for _, r := range s {
		switch {
		case unicode.IsControl(r):
			return fmt.Errorf("the subject holds the control character U+%04X", r)
		case unicode.In(r, unseen...):
			return fmt.Errorf("the subject holds U+%04X, which cannot be seen", r)
		}
	}
	switch {
	case strings.TrimSpace(s) != s:
		return errors.New("the subject begins or ends with white space")
	case !norm.NFC.IsNormalString(s):
		return errors.New("the subject is not in Unicode's composed form (NFC)")
	}
	return nil
}

// unseen are characters without a mark of their own: formats such as U+200B and U+202E,
// private ones, ends of lines, and fillers.
var unseen = []*unicode.RangeTable{
	unicode.C, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point,
}
