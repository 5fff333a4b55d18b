package item

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/table"
)

// field is one attribute of a comment's item, other than keys.
type field struct {
	name    string
	indexed bool // every index carries it; such names are short, since every index repeats them with every comment
	edit    bool // every edit changes it, so columns do not carry it: an edit would write all entries
	words   bool // it contains author, title or text, in some form
	// write returns the attribute's value, nil if the item lacks it.
	write func(*Stored) types.AttributeValue
	// read parses a value of type S, N, B, T (for BOOL) or M, in the form of table.Rows.
	read func(*Reader, string) error
}

// text completes a field of type S, absent for an empty text.
func (f field) text(name string, of func(*Stored) *string) field {
	f.name = name
	f.write = func(c *Stored) types.AttributeValue { return orAbsent(*of(c)) }
	f.read = func(r *Reader, v string) error { *of(&r.c) = v; return nil }
	return f
}

// number completes a field of type N, absent for one value.
func (f field) number(name string, of func(*Stored) *int, absent int) field {
	f.name = name
	f.write = func(c *Stored) types.AttributeValue { return unless(*of(c) == absent, *of(c)) }
	f.read = func(r *Reader, v string) error { return number(of(&r.c), v) }
	return f
}

// flag completes a field of type BOOL, absent for false.
func (f field) flag(name string, of func(*Stored) *bool) field {
	f.name = name
	f.write = func(c *Stored) types.AttributeValue {
		if !*of(c) {
			return nil
		}
		return table.Bool(true)
	}
	f.read = func(r *Reader, v string) error { *of(&r.c) = v == "true"; return nil }
	return f
}

// optionalFlag completes a field of type BOOL, absent if unknown.
func (f field) optionalFlag(name string, of func(*Stored) **bool) field {
	f.name = name
	f.write = func(c *Stored) types.AttributeValue {
		if *of(c) == nil {
			return nil
		}
		return table.Bool(**of(c))
	}
	f.read = func(r *Reader, v string) error { is := v == "true"; *of(&r.c) = &is; return nil }
	return f
}

func orAbsent(s string) types.AttributeValue {
	if s == "" {
		return nil
	}
	return table.S(s)
}

func bytesOf(s string) types.AttributeValue {
	if s == "" {
		return nil
	}
	return table.B([]byte(s))
}

func unless(absent bool, n int) types.AttributeValue {
	if absent {
		return nil
	}
	return table.N(n)
}

func number(to *int, v string) (err error) {
	*to, err = strconv.Atoi(v)
	return err
}
