package counts

import (
	"context"
	"maps"
	"math"
	"sync"
	"time"

	"product-comments/store/cache"
	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/pending/names"
	"product-comments/store/plan"
	"product-comments/store/settings"
	"product-comments/store/stats"
)

// MaxRegions is the most languages of one filter for a product, including languages with a
// region. Each is a partition.
const MaxRegions = 30

// Languages returns the languages of a filter for a product: the ones it names, and with
// Regions also en-GB for en if the product's comments have it, as far as they are counted or
// this process wrote them. It returns an Unavailable error if that is not known, since a page
// would lack comments, and BadUserInput if they are more than MaxRegions.
func (s *Statistics) Languages(ctx context.Context, f plan.Filter, now settings.Settings) (key.Languages, error) {
	if !f.Regions || f.Languages.Any() {
		return f.Languages, nil
	}
	if err := now.Trusted(); err != nil {
		return "", err
	}
	it, err := s.planned(ctx, stats.Scope{ProductID: f.ProductID}, now.Generation)
	if err != nil {
		return "", err
	}
	counted := it.atGeneration(now.Generation)
	if counted.OtherLanguages > 0 || it.Generation > now.Generation {
		return "", errs.Errorf(errs.Unavailable, "The product's languages are unknown at present: try again, or without includeRegions")
	}
	all := f.Languages.WithRegions(maps.Keys(s.written.with(f.ProductID, counted.Languages, s.t.Now())))
	if n := len(all.List()); n > MaxRegions {
		return "", errs.Invalid("includeRegions", "%d languages of the product match, the limit is %d: name some of them", n, MaxRegions).For(errs.TooMany).Past(n, MaxRegions)
	}
	return all, nil
}

// Admit checks, before comments are written, that their products have room for their
// languages, and remembers these as languages of the products. It costs half a read unit
// for each product whose language this process has not written lately. It returns
// BadUserInput if a product would have comments in too many languages, as far as the
// statistics and this process know, so writers that race may exceed the bound; and
// Unavailable if the store does not answer.
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

// Note remembers the language of a comment that needs no check: its product has comments
// in that language, or must take it.
func (s *Statistics) Note(c *item.Comment) {
	_ = s.written.add(c.ProductID, nil, []string{c.Language}, math.MaxInt, s.t.Now())
}

// writtenFor is for how long a language is known to be that of a comment that this
// process wrote: longer than a stream keeps a record, after which it was projected or
// everything is counted again.
const writtenFor = 2 * names.Age

// writtenProducts is of how many products that is known.
const writtenProducts = 4096

// written are the languages of comments that a process wrote, in bounded memory.
type written struct {
	mu sync.Mutex
	of *cache.Recent[string, map[string]time.Time] // by product: when each was written last
}

func newWritten() *written {
	return &written{of: cache.NewRecent[string, map[string]time.Time](writtenProducts, nil)}
}

// with returns the languages of a product: the listed ones, and the ones this process wrote.
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

// add adds languages of a product that has comments in the listed ones, none if all together
// would be more than most.
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
