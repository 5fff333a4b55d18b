package item

import (
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/table"
)

// field is one attribute of a comment's item, other than keys.
type field struct {
	name    string
	indexed bool // every index carries it; such names are short, since every index repeats them with every comment
	edit    bool // every edit changes it, so the attribute index does not carry it: an edit would write all entries
	// shows are the fields of the schema's Comment that need the field, besides one that has the
	// name of its member; see Optional. Lists without the field load it for them.
	shows []string
	// write returns the attribute's value, nil if the item lacks it.
	write func(*Stored) types.AttributeValue
	// read parses a value of type S, N, B, T (for BOOL) or M, in the form of table.Rows.
	read func(*Reader, string) error

	member func(*Stored) any      // returns a pointer to the member that has the value; nil for none of Comment
	take   func(to, from *Stored) // copies that member
}

// holds completes a field with the member that has its value.
func holds[V any](f field, of func(*Stored) *V) field {
	f.member = func(c *Stored) any { return of(c) }
	f.take = func(to, from *Stored) { *of(to) = *of(from) }
	return f
}

// text completes a field of type S, absent for an empty text.
func (f field) text(name string, of func(*Stored) *string) field {
	f = holds(f, of)
	f.name = name
	f.write = func(c *Stored) types.AttributeValue { return orAbsent(*of(c)) }
	f.read = func(r *Reader, v string) error { *of(&r.c) = v; return nil }
	return f
}

// number completes a field of type N, absent for one value.
func (f field) number(name string, of func(*Stored) *int, absent int) field {
	f = holds(f, of)
	f.name = name
	f.write = func(c *Stored) types.AttributeValue { return unless(*of(c) == absent, *of(c)) }
	f.read = func(r *Reader, v string) error { return number(of(&r.c), v) }
	return f
}

// flag completes a field of type BOOL, absent for false.
func (f field) flag(name string, of func(*Stored) *bool) field {
	f = holds(f, of)
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

// ofBytes completes a field of type B, absent if it is empty.
func ofBytes[S ~string](f field, name string, of func(*Stored) *S) field {
	f.name = name
	f.write = func(c *Stored) types.AttributeValue {
		if *of(c) == "" {
			return nil
		}
		return table.B([]byte(*of(c)))
	}
	f.read = func(r *Reader, v string) error { *of(&r.c) = S(v); return nil }
	return f
}

// optional completes a field of type BOOL, N or S, absent if it is unknown.
func optional[V bool | int | string | time.Time](f field, name string, of func(*Stored) **V, spell func(V) types.AttributeValue,
	parse func(string) (V, error)) field {
	f = holds(f, of)
	f.name = name
	f.write = func(c *Stored) types.AttributeValue {
		if v := *of(c); v != nil {
			return spell(*v)
		}
		return nil
	}
	f.read = func(r *Reader, v string) error {
		parsed, err := parse(v)
		*of(&r.c) = &parsed
		return err
	}
	return f
}

func orAbsent(s string) types.AttributeValue {
	if s == "" {
		return nil
	}
	return table.S(s)
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
