package stats

import (
	"encoding/binary"

	"product-comments/store/key"
)

// Which selects comments by further properties: it has a bit for each dimension that the comments
// must have. The zero value selects all.
type Which uint8

// The dimensions of the counts, in addition to language and rating. Another dimension needs a line
// here and a line in has.
const (
	Text         Which = 1 << iota // comments with a text
	Verified                       // comments whose authors bought the product
	Photos                         // comments with photos
	Incentivized                   // comments whose authors got an incentive

	dimensions = iota

	// NotIncentivized selects the comments without Incentivized, which need no count of their own.
	NotIncentivized Which = 1 << dimensions
)

// has reports whether a comment has a dimension, in the order of the constants.
var has = [dimensions]func(*Counted) bool{
	func(c *Counted) bool { return c.HasText },
	func(c *Counted) bool { return c.Verified },
	func(c *Counted) bool { return c.HasPhotos },
	func(c *Counted) bool { return c.Incentivized },
}

// All reports whether all comments are selected.
func (w Which) All() bool { return w == 0 }

// Passes reports whether a comment with these dimensions is selected.
func (w Which) Passes(of Which) bool { return of&w == w }

// Has reports whether only comments with a dimension are selected.
func (w Which) Has(dimension Which) bool { return w&dimension != 0 }

// With returns the selection with a dimension or without it.
func (w Which) With(dimension Which, wanted bool) Which {
	if wanted {
		return w | dimension
	}
	return w &^ dimension
}

// Kind combines the rating and the dimensions of a comment: the dimensions times 5, plus the rating
// less 1. Another dimension does not change the numbers of existing kinds.
type Kind uint8

// KindOf returns the kind of comments with a rating and dimensions.
func KindOf(rating int, dimensions Which) Kind {
	return Kind(int(dimensions&^NotIncentivized)*5 + rating - 1)
}

// Rating returns the rating of comments of the kind.
func (k Kind) Rating() int { return int(k)%5 + 1 }

// Which returns the dimensions of comments of the kind.
func (k Kind) Which() Which { return Which(k / 5).complete() }

// complete returns the dimensions of a comment with NotIncentivized, if it has no incentive.
func (w Which) complete() Which { return w.With(NotIncentivized, !w.Has(Incentivized)) }

// Valid reports whether there are comments of the kind.
func (k Kind) Valid() bool { return k < kinds }

const kinds = 5 << dimensions

// Which returns the dimensions of the comment.
func (c *Counted) Which() (w Which) {
	for i, has := range has {
		w = w.With(1<<i, has(c))
	}
	return w.complete()
}

// Kind returns the kind of the comment.
func (c *Counted) Kind() Kind { return KindOf(c.Rating, c.Which()) }

// Kinds is the number of comments of each kind.
type Kinds [kinds]int

// Of returns the number of selected comments, by rating.
func (k Kinds) Of(ratings key.Ratings, which Which) (t Tally) {
	for i, n := range k {
		if kind := Kind(i); n != 0 && ratings.Has(kind.Rating()) && which.Passes(kind.Which()) {
			t[kind.Rating()-1] += n
		}
	}
	return t
}

// Total returns the number of all comments.
func (k Kinds) Total() int { return k.Of(0, 0).Total() }

// small is the bound of numbers that share a byte with another one.
const small = 15

// Append encodes the counts, which must not be negative: the number of nonzero counts, then for each
// its distance from the kind before it and the count, in one byte if both are small.
func (k Kinds) Append(b []byte) []byte {
	some := 0
	for _, n := range k {
		if n != 0 {
			some++
		}
	}
	b = binary.AppendUvarint(b, uint64(some))
	next := 0
	for i, n := range k {
		if n == 0 {
			continue
		}
		distance := i - next
		next = i + 1
		b = append(b, byte(min(distance, small)<<4|min(n-1, small)))
		if distance >= small {
			b = append(b, byte(distance))
		}
		if n-1 >= small {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	return b
}

// Kinds decodes what Kinds.Append has encoded.
func (r *Reader) Kinds() (k Kinds) {
	some := r.Count()
	kind := -1
	for r.Damaged = r.Damaged || some > kinds; some > 0 && !r.Damaged; some-- {
		head := int(r.Bytes(1)[0])
		distance, n := head>>4, head&small+1
		if distance == small {
			distance = int(r.Bytes(1)[0])
		}
		if n > small {
			n = r.Count()
		}
		if kind += distance + 1; kind < kinds {
			k[kind] = n
		} else {
			r.Damaged = true
		}
	}
	return k
}

// ByLanguage is the number of comments of each kind, by language.
type ByLanguage map[string]Kinds

// Add adds a number of comments of a kind in a language.
func (c ByLanguage) Add(language string, kind Kind, n int) {
	k := c[language]
	if k[kind] += n; k == (Kinds{}) {
		delete(c, language)
	} else {
		c[language] = k
	}
}

// AddAll adds other counts.
func (c ByLanguage) AddAll(o ByLanguage) {
	for language, k := range o {
		if sum := plus(c[language], k); sum == (Kinds{}) {
			delete(c, language)
		} else {
			c[language] = sum
		}
	}
}

// Of returns the number of selected comments, by rating.
func (c ByLanguage) Of(languages key.Languages, ratings key.Ratings, which Which) (t Tally) {
	for language, k := range c {
		if languages.Has(language) {
			t = plus(t, k.Of(ratings, which))
		}
	}
	return t
}

// Negative reports whether a count is below zero.
func (c ByLanguage) Negative() bool {
	for _, k := range c {
		if negative(k[:]) {
			return true
		}
	}
	return false
}
