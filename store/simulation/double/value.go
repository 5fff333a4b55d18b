package double

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

type (
	value = types.AttributeValue
	item  = map[string]value
)

// The members of value, under names short enough to read.
type (
	text     = types.AttributeValueMemberS
	number   = types.AttributeValueMemberN
	binary   = types.AttributeValueMemberB
	boolean  = types.AttributeValueMemberBOOL
	null     = types.AttributeValueMemberNULL
	list     = types.AttributeValueMemberL
	document = types.AttributeValueMemberM
	texts    = types.AttributeValueMemberSS
	numbers  = types.AttributeValueMemberNS
	binaries = types.AttributeValueMemberBS
)

// typeOf names a value's type as DynamoDB does; "" for no value.
func typeOf(v value) string {
	switch v.(type) {
	case *text:
		return "S"
	case *number:
		return "N"
	case *binary:
		return "B"
	case *boolean:
		return "BOOL"
	case *null:
		return "NULL"
	case *list:
		return "L"
	case *document:
		return "M"
	case *texts:
		return "SS"
	case *numbers:
		return "NS"
	case *binaries:
		return "BS"
	}
	return ""
}

// compare orders two texts, numbers or binaries; ok is false for everything else.
func compare(a, b value) (order int, ok bool) {
	switch a := a.(type) {
	case *text:
		if b, is := b.(*text); is {
			return cmp.Compare(a.Value, b.Value), true
		}
	case *number:
		if b, is := b.(*number); is {
			x, errX := parseNumber(a.Value)
			y, errY := parseNumber(b.Value)
			return x.compare(y), errX == nil && errY == nil
		}
	case *binary:
		if b, is := b.(*binary); is {
			return bytes.Compare(a.Value, b.Value), true
		}
	}
	return 0, false
}

// equal compares values of any type; the order in sets does not matter.
func equal(a, b value) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *number:
		if b, is := b.(*number); is && a.Value == b.Value {
			return true
		}
	case *boolean:
		b, is := b.(*boolean)
		return is && a.Value == b.Value
	case *null:
		_, is := b.(*null)
		return is
	case *list:
		b, is := b.(*list)
		return is && slices.EqualFunc(a.Value, b.Value, equal)
	case *document:
		b, is := b.(*document)
		return is && equalItems(a.Value, b.Value)
	case *texts, *numbers, *binaries:
		return typeOf(a) == typeOf(b) && slices.Equal(members(a), members(b))
	}
	order, ok := compare(a, b)
	return ok && order == 0
}

func equalItems(a, b item) bool {
	if len(a) != len(b) {
		return false
	}
	for name, v := range a {
		if w, ok := b[name]; !ok || !equal(v, w) {
			return false
		}
	}
	return true
}

// members returns a set's members in order, in a form that tells them apart.
func members(set value) []string {
	var out []string
	switch set := set.(type) {
	case *texts:
		out = slices.Clone(set.Value)
	case *numbers:
		for _, n := range set.Value {
			d, _ := parseNumber(n) // sets are checked when they come in
			out = append(out, d.String())
		}
	case *binaries:
		for _, b := range set.Value {
			out = append(out, string(b))
		}
	}
	slices.Sort(out)
	return out
}

// setOf is the reverse of members; no value for no members, since there are no
// empty sets.
func setOf(like value, members []string) value {
	if len(members) == 0 {
		return nil
	}
	switch like.(type) {
	case *texts:
		return &texts{Value: members}
	case *numbers:
		return &numbers{Value: members}
	}
	out := &binaries{}
	for _, m := range members {
		out.Value = append(out.Value, []byte(m))
	}
	return out
}

// contains is the function of conditions: a part of a text, a member of a set
// or an element of a list.
func contains(in, what value) bool {
	switch in := in.(type) {
	case *text:
		w, ok := what.(*text)
		return ok && strings.Contains(in.Value, w.Value)
	case *binary:
		w, ok := what.(*binary)
		return ok && bytes.Contains(in.Value, w.Value)
	case *list:
		return slices.ContainsFunc(in.Value, func(v value) bool { return equal(v, what) })
	case *texts:
		w, ok := what.(*text)
		return ok && slices.Contains(in.Value, w.Value)
	case *numbers:
		return slices.ContainsFunc(in.Value, func(n string) bool { return equal(&number{Value: n}, what) })
	case *binaries:
		return slices.ContainsFunc(in.Value, func(b []byte) bool { return equal(&binary{Value: b}, what) })
	}
	return false
}

// beginsWith is the function of conditions.
func beginsWith(v, prefix value) bool {
	switch v := v.(type) {
	case *text:
		p, ok := prefix.(*text)
		return ok && strings.HasPrefix(v.Value, p.Value)
	case *binary:
		p, ok := prefix.(*binary)
		return ok && bytes.HasPrefix(v.Value, p.Value)
	}
	return false
}
