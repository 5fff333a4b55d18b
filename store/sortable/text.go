package sortable

import (
	"cmp"
	"strings"
	"sync"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// MaxSize is the most bytes of an encoding. A sort key of DynamoDB has room for
// 1,024, of which the place of a comment takes at most 216.
const MaxSize = 800

// What of an encoded text is for its weights, without their end, and what of it is for
// the text itself.
const (
	mostWeights = 520
	mostPlain   = MaxSize - 3 // without the first byte and the end
)

// Order is the order of texts in a language, or that of their bytes. It is safe for
// concurrent use.
type Order struct {
	collators sync.Pool // of *weigher, since one serves one caller at a time
	binary    bool
}

// weigher makes the weights of texts.
type weigher struct {
	collator *collate.Collator
	buffer   collate.Buffer
}

// Binary is the order of the texts' bytes, which is that of their code points.
var Binary = &Order{binary: true}

// OrderOf returns the order that people expect who read a language: Unicode
// collation with the language's rules, as package collate has them.
func OrderOf(tag language.Tag) *Order {
	return &Order{collators: sync.Pool{New: func() any { return &weigher{collator: collate.New(tag)} }}}
}

// Compare returns a negative number for texts that are in order, 0 for equal ones, and a
// positive number for others. It compares the bytes of texts that are equal in the language.
func (o *Order) Compare(a, b string) int {
	if o.binary {
		return cmp.Compare(a, b)
	}
	w := o.collators.Get().(*weigher)
	defer o.collators.Put(w)
	return cmp.Or(w.collator.CompareString(a, b), cmp.Compare(a, b))
}

// AppendText appends a text, at most MaxSize bytes: of a longer one as much as
// decides its place among most others.
func (o *Order) AppendText(dst []byte, s string) []byte {
	if o.binary {
		dst, _ = appendPart(append(dst, plain), s, mostPlain)
		return dst
	}
	w := o.collators.Get().(*weigher)
	defer o.collators.Put(w)
	w.buffer.Reset()
	first := len(dst)
	dst, cut := appendPart(append(dst, collated), w.collator.KeyFromString(&w.buffer, s), mostWeights)
	if !cut { // otherwise bytes would order texts whose full weights differ
		dst, _ = appendPart(dst, s, MaxSize-(len(dst)-first)-2)
	}
	return dst
}

// How bytes of value 0 are followed.
const (
	itself byte = 0xff
	end    byte = 0x01
	cutOff byte = 0x02
)

// appendPart appends bytes and their end, of the bytes at most so many as they are
// spelled, and reports whether some were left out.
func appendPart[T string | []byte](dst []byte, s T, most int) (out []byte, cut bool) {
	for i := 0; i < len(s); i++ {
		size := 1
		if s[i] == 0 {
			size = 2
		}
		if most -= size; most < 0 {
			return append(dst, 0, cutOff), true
		}
		if dst = append(dst, s[i]); s[i] == 0 {
			dst = append(dst, itself)
		}
	}
	return append(dst, 0, end), false
}

// decodePart reads what appendPart appended.
func decodePart(b []byte) (s string, cut bool, rest []byte, ok bool) {
	var out strings.Builder
	for i := 0; i < len(b); i++ {
		if b[i] != 0 {
			out.WriteByte(b[i])
			continue
		}
		if i++; i == len(b) {
			break
		}
		switch b[i] {
		case itself:
			out.WriteByte(0)
		case end, cutOff:
			return out.String(), b[i] == cutOff, b[i+1:], true
		default:
			return "", false, nil, false
		}
	}
	return "", false, nil, false
}

// IsCut reports whether an encoding is that of a text of which a part was left out, so
// that other texts have it, too.
func IsCut(b []byte) bool {
	v, _, ok := Decode(b)
	return ok && v.Cut
}

// decodeText reads what follows the first byte of a text.
func decodeText(b []byte, weighed bool) (s string, cut bool, rest []byte, ok bool) {
	if !weighed {
		return decodePart(b)
	}
	_, cut, b, ok = decodePart(b)
	if !ok || cut {
		return "", cut, b, ok
	}
	return decodePart(b)
}
