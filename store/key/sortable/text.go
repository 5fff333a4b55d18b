package sortable

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// MaxSize is the most bytes of an encoding. A sort key of DynamoDB has at most 1,024 bytes, and
// the position of a comment needs up to 216 of them.
const MaxSize = 800

// The most bytes of an encoded text for its weights, without their end, and for the text itself.
const (
	mostWeights = 520
	mostPlain   = MaxSize - 3 // without the first byte and the end
)

// Order is the order of texts in a language, or of their bytes. It is safe for concurrent use.
type Order struct {
	collators sync.Pool // of *weigher, since one serves one caller at a time
	binary    bool
}

// weigher makes the weights of texts.
type weigher struct {
	collator *collate.Collator
	buffer   collate.Buffer
}

// Binary is the order of the texts' bytes, which is the order of their code points.
var Binary = &Order{binary: true}

// OrderOf returns the order that readers of a language expect: Unicode collation with the
// language's rules in package collate.
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

// AppendText appends a text, cut off at MaxSize bytes, which decide its position among most other
// texts.
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

// The bytes that follow a byte 0.
const (
	itself byte = 0xff
	end    byte = 0x01
	cutOff byte = 0x02
)

// appendPart appends bytes and their end, cut off at most bytes as spelled, and reports whether
// it cut them off.
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

// decodePart is the inverse of appendPart.
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

// IsCut reports whether an encoding is of a text that was cut off, so that other texts have the
// same encoding.
func IsCut(b []byte) bool {
	v, _, ok := Decode(b)
	return ok && v.Cut
}

// decodeText decodes a text, after its first byte.
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

// Weights returns a name for the order of texts and votes in this release: a release with
// another order has another name. It is a hash of the weights of many characters in the
// languages below, and of a name for the score of votes, which must change with the score.
var Weights = sync.OnceValue(func() string {
	sum := sha256.New()
	for _, tag := range []string{"und", "ar", "cs", "da", "de", "es", "fi", "he", "hu", "ja", "ko", "lt", "pl", "ru",
		"sv", "th", "tr", "uk", "vi", "zh"} {
		o := OrderOf(language.MustParse(tag))
		for _, of := range [][2]rune{{0x20, 0x24f}, {0x370, 0x45f}, {0x5d0, 0x5ea}, {0x620, 0x64a}, {0xe01, 0xe2e},
			{0x3041, 0x30ff}, {0x4e00, 0x4e7f}, {0xac00, 0xac3f}} {
			for r := of[0]; r <= of[1]; r++ {
				sum.Write(o.AppendText(nil, string(r)))
			}
		}
	}
	sum.Write([]byte("wilson/12"))
	return hex.EncodeToString(sum.Sum(nil)[:8])
})
