package statistics

import (
	"encoding/binary"
	"time"

	"product-comments/store/key"
	"product-comments/store/stats"
	"product-comments/store/table"
)

// Statistics run behind the comments. A page must not leave out a partition
// because its count is still zero, so a product's hints name the kinds of
// comments (language and rating) that may exist although they are not counted:
//
//   - A writer of a comment whose kind is neither counted nor hinted hints it first.
//   - The projector hints a kind in the transaction that brings its count to
//     zero: a writer may have seen the count before that.
//   - The projector drops hints that are older than hintLife when it next
//     changes the product. It goes by the time of the records, since its own
//     clock may be wrong.
//
// A zero is believed only if its kind is not hinted. Then nothing of that kind
// can be under way: a writer relies on a hint until it is renewal and reliedOn
// old, and its record is projected, or known to be lost, within the 24 hours
// that a stream keeps it. hintLife is more than all three together.
const (
	hintLife = 40 * time.Hour
	renewal  = 12 * time.Hour // a writer renews an older hint instead of relying on it
	reliedOn = time.Hour      // for which a process remembers that a kind is counted or hinted
)

// kind is a kind of a product's comments.
type kind struct {
	language string
	rating   int
}

// kindOf is a kind of comments of a product, in a generation of statistics.
type kindOf struct {
	product string
	kind
	generation int
}

// hintsItem is a product's hints: an attribute for each language, with the time
// at which each rating was hinted. It stays small by construction: when there
// are too many languages, one attribute hints all kinds.
type hintsItem struct {
	product  string
	revision int // 0 if there is no item
	kinds    map[kind]time.Time
	all      time.Time // when all kinds were hinted
	old      bool      // it has the form of before hints were bounded
}

// Attributes of the item beside rev and those of languages, each B: five times,
// in seconds since 1970 as 32 bits, 0 for a rating that is not hinted.
const attrAll = "all" // N, seconds since 1970

func hintsKey(productID string) table.Item {
	return table.KeyOf(key.Product(productID), key.HintsSK)
}

func parseHints(product string, it table.Item) (hintsItem, error) {
	h := hintsItem{product: product, kinds: map[kind]time.Time{}}
	all := 0
	if err := table.Numbers(it, map[string]*int{attrRevision: &h.revision, attrAll: &all}); err != nil {
		return h, err
	}
	if all > 0 {
		h.all = time.Unix(int64(all), 0)
	}
	for name := range it {
		if language, ok := key.ParseHintedLanguage(name); ok {
			times := table.Bytes(it, name)
			for i := range len(times) / 4 {
				if at := binary.BigEndian.Uint32(times[4*i:]); at > 0 {
					h.kinds[kind{language, i + 1}] = time.Unix(int64(at), 0)
				}
			}
		} else if language, rating, ok := key.ParseHint(name); ok {
			at, err := table.Number(it, name)
			if err != nil {
				return h, err
			}
			h.kinds[kind{language, rating}], h.old = time.Unix(int64(at), 0), true
		}
	}
	return h, nil
}

// at returns when a kind was hinted last; zero for never.
func (h hintsItem) at(k kind) time.Time {
	if at := h.kinds[k]; at.After(h.all) {
		return at
	}
	return h.all
}

// ratings returns the ratings of a language, or of any, that are hinted.
func (h hintsItem) ratings(language string) key.Ratings {
	var set key.Ratings
	if !h.all.IsZero() {
		set = key.AllRatings
	}
	for k := range h.kinds {
		if language == "" || k.language == language {
			set |= 1 << (k.rating - 1)
		}
	}
	return set
}

// languages returns those of which a kind is hinted.
func (h hintsItem) languages() map[string]bool {
	out := map[string]bool{}
	for k := range h.kinds {
		out[k.language] = true
	}
	return out
}

// change returns the hints with more kinds, hinted now, and without those that
// are too old at a time until which everything was projected; zero drops none.
// changed is false if that is what they are.
func (h hintsItem) change(add []kind, now, projected time.Time) (to hintsItem, changed bool) {
	to = hintsItem{product: h.product, revision: h.revision, kinds: make(map[kind]time.Time, len(h.kinds)+len(add)), all: h.all}
	expired := func(at time.Time) bool { return !projected.IsZero() && projected.Sub(at) >= hintLife }
	if !to.all.IsZero() && expired(to.all) {
		to.all, changed = time.Time{}, true
	}
	for k, at := range h.kinds {
		if expired(at) {
			changed = true
		} else {
			to.kinds[k] = at
		}
	}
	for _, k := range add {
		to.kinds[k], changed = now, true
	}
	if len(to.languages()) > stats.MaxListed {
		to.all, to.kinds, changed = now, map[kind]time.Time{}, true
	}
	return to, changed || h.old
}

// write returns the change of the item from what it was, on the condition that
// nobody changed it since.
func (h hintsItem) write(random *table.Random) table.Write {
	w := table.Write{Key: hintsKey(h.product)}
	if len(h.kinds) == 0 && h.all.IsZero() {
		w.Delete = h.revision > 0
		return w.IfRevision(attrRevision, h.revision)
	}
	times := map[string][]byte{}
	for k, at := range h.kinds {
		name := key.HintedLanguage(k.language)
		if times[name] == nil {
			times[name] = make([]byte, 5*4)
		}
		binary.BigEndian.PutUint32(times[name][4*(k.rating-1):], uint32(at.Unix()))
	}
	w.Put = w.Key
	for name, b := range times {
		w.Put[name] = table.B(b)
	}
	w.Put[attrRevision] = table.N(random.NextRevision(h.revision))
	if !h.all.IsZero() {
		w.Put[attrAll] = table.N(int(h.all.Unix()))
	}
	return w.IfRevision(attrRevision, h.revision)
}
