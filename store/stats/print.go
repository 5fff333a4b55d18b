package stats

import (
	"hash/fnv"
	"math/bits"
)

// Prime is that of prints: their arithmetic is modulo this number.
const Prime = 1<<61 - 1

// Print stands for what was counted of comments. That of a sum is the sum of the prints of
// its parts, and different counts hardly ever have the same: so many comments can be
// compared with what was counted of them without keeping either.
type Print uint64

// PrintOf returns the print of a named count, which may be negative.
func PrintOf(n int, names ...string) Print {
	if n < 0 {
		return Print(0).Minus(PrintOf(-n, names...))
	}
	return PrintOfRest(uint64(n)%Prime, names...)
}

// PrintOfRest is PrintOf for the rest of a number modulo Prime.
func PrintOfRest(rest uint64, names ...string) Print {
	h := fnv.New64a()
	for _, s := range names {
		_, _ = h.Write([]byte(s)) // never fails
		_, _ = h.Write([]byte{0})
	}
	high, low := bits.Mul64(rest, h.Sum64()%Prime)
	_, rest = bits.Div64(high, low, Prime) // high is below Prime, since both factors are
	return Print(rest)
}

// Plus returns the print of a sum.
func (p Print) Plus(o Print) Print { return (p + o) % Prime }

// Minus returns the print of what a sum is without one of its parts.
func (p Print) Minus(o Print) Print { return (p + Prime - o) % Prime }

// Print returns the print of what a change adds, but for the largest size.
func (d *Delta) Print(name string) (p Print) {
	add := func(of Tally, names ...string) {
		for i, n := range of {
			if n != 0 {
				p = p.Plus(PrintOf(n, append(names, string(rune('1'+i)))...))
			}
		}
	}
	add(d.Tally, name, "count")
	add(d.Bytes, name, "bytes")
	for language, n := range d.Languages {
		p = p.Plus(PrintOf(n, name, "language", language))
	}
	for language, of := range d.Details {
		add(of.Bytes, name, "bytes", language)
		for kind, n := range of.Kinds {
			if n != 0 {
				p = p.Plus(PrintOf(n, name, "kind", language, string(rune(kind))))
			}
		}
	}
	return p
}
