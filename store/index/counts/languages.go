package counts

import (
	"context"
	"maps"
	"math"
	"sync"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/comment/stats"
	"product-comments/store/derive/pending/names"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/read/cache"
	"product-comments/store/read/plan"
	"product-comments/store/settings"
)

// MaxRegions is the maximum number of languages of one filter for a product, including languages
// with a region. Each is a partition.
const MaxRegions = 30

// Languages returns the languages of a filter for its products: the languages in the filter and, with
// Regions, the more specific languages of the product's comments, such as en-GB for en. It knows
// the counted comments and this process's writes. It returns an Unavailable error if the languages
// are unknown, since a page would lack comments, and BadUserInput for more than MaxRegions
// languages.
func (s *Statistics) Languages(ctx context.Context, f plan.Filter, now settings.Settings) (key.Languages, error) {
	if !f.Regions || f.Languages.Any() {
		return f.Languages, nil
	}
	if err := now.Trusted(); err != nil {
		return "", err
	}
	all := f.Languages
	for _, product := range f.Products() {
		it, err := s.planned(ctx, stats.Scope{ProductID: product}, now.Generation)
		if err != nil {
			return "", err
		}
		counted := it.atGeneration(now.Generation)
		if counted.OtherLanguages > 0 || it.Generation > now.Generation {
			return "", errs.Errorf(errs.Unavailable, "The product's languages are unknown at present: try again, or without includeRegions")
		}
		all = all.WithRegions(maps.Keys(s.written.with(product, counted.Languages, s.t.Now())))
	}
	if n := len(all.List()); n > MaxRegions {
		return "", errs.Invalid("includeRegions", "%d languages of the product match, the limit is %d: name some of them", n, MaxRegions).For(errs.TooMany).Past(n, MaxRegions)
	}
	return all, nil
}

// Admit checks before a write of comments that the number of languages of each product stays within
// stats.MaxLanguages, and remembers the comments' languages. It costs half a read unit for each
// product with a language that this process has not written recently. It returns BadUserInput if a
// product would have too many languages. Concurrent writers may exceed the limit.
func (s *Statistics) Admit(ctx context.Context, comments ...*item.Comment) error {
	var scopes []stats.Scope
	unknown := map[stats.Scope][]string{}
	for _, c := range comments {
		scope := stats.Scope{ProductID: c.ProductID}
		if s.written.with(c.ProductID, nil, s.t.Now())[c.Language] {
			continue
		}
		if unknown[scope] == nil {
			scopes = append(scopes, scope)
		}
		unknown[scope] = append(unknown[scope], c.Language)
	}
	if len(scopes) == 0 {
		return nil
	}
	read, err := s.read(ctx, scopes, false)
	if err != nil {
		return err
	}
	for _, scope := range scopes {
		if err := s.written.add(scope.ProductID, read[scope].Languages, unknown[scope], stats.MaxLanguages, s.t.Now()); err != nil {
			return err
		}
	}
	return nil
}

// Note remembers the language of a comment that needs no check, because its product already has
// comments in the language or must accept it.
func (s *Statistics) Note(c *item.Comment) {
	_ = s.written.add(c.ProductID, nil, []string{c.Language}, math.MaxInt, s.t.Now())
}

// writtenFor is how long this process remembers the languages that it wrote. It is longer than a
// stream keeps a record: until then the comment is projected, or a rebuild counts it.
const writtenFor = 2 * names.Age

// writtenProducts is the maximum number of products with remembered languages.
const writtenProducts = 4096

// written remembers the languages of comments that this process wrote, in bounded memory.
type written struct {
	mu sync.Mutex
	of *cache.Recent[string, map[string]time.Time] // by product: the time of the last write of each language
}

func newWritten() *written {
	return &written{of: cache.NewRecent[string, map[string]time.Time](writtenProducts, nil)}
}

// with returns the languages of a product: the listed languages, and the remembered ones.
func (w *written) with(product string, listed map[string]int, now time.Time) map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.union(product, listed, now)
}

func (w *written) union(product string, listed map[string]int, now time.Time) map[string]bool {
	all := map[string]bool{}
	for language := range listed {
		all[language] = true
	}
	times, _ := w.of.Get(product)
	for language, at := range times {
		if now.Sub(at) < writtenFor {
			all[language] = true
		} else {
			delete(times, language)
		}
	}
	return all
}

// add remembers languages of a product that has comments in the listed languages. It returns an
// error, and remembers nothing, if the total would exceed most.
func (w *written) add(product string, listed map[string]int, languages []string, most int, now time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.union(product, listed, now)
	had := len(all)
	for _, language := range languages {
		all[language] = true
	}
	if n := len(all); n > had && n > most {
		return errs.Invalid("language", "product %s has comments in %d languages, the limit is %d: use one of them", item.Printable(product), had, most).For(errs.TooMany).Past(n, most)
	}
	times, ok := w.of.Get(product)
	if !ok {
		times = map[string]time.Time{}
		w.of.Add(product, times)
	}
	for _, language := range languages {
		times[language] = now
	}
	return nil
}
