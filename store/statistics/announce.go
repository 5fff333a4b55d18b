package statistics

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/stats"
	"product-comments/store/table"
)

// announcers is how many products are hinted at once.
const announcers = 4

// Announce prepares the writing of comments: it hints their kinds if need be,
// and returns the generation of statistics that they are to be counted in. It
// returns BadUserInput if a product would have comments in too many languages,
// and Unavailable if the store does not answer.
func (s *Statistics) Announce(ctx context.Context, comments ...*item.Comment) (generation int, err error) {
	return s.announce(ctx, stats.MaxLanguages, comments...)
}

// AnnounceAnyway is Announce for what must be written although a product may
// have comments in too many languages: it makes them fewer.
func (s *Statistics) AnnounceAnyway(ctx context.Context, comments ...*item.Comment) (generation int, err error) {
	return s.announce(ctx, math.MaxInt, comments...)
}

func (s *Statistics) announce(ctx context.Context, most int, comments ...*item.Comment) (generation int, err error) {
	now, err := s.settings.Recent(ctx)
	if err != nil {
		return 0, err
	}
	unsure := map[string][]kind{} // by product
	for _, c := range comments {
		k := kindOf{c.ProductID, kind{c.Language, c.Rating}, now.Generation}
		if !s.catalog.sure(k, s.t.Now()) && !slices.Contains(unsure[k.product], k.kind) {
			unsure[k.product] = append(unsure[k.product], k.kind)
		}
	}
	if len(unsure) == 0 {
		return now.Generation, nil
	}
	products := slices.Sorted(maps.Keys(unsure))
	var scopes []stats.Scope
	for _, product := range products {
		scopes = append(scopes, stats.Scope{ProductID: product})
		for _, k := range unsure[product] {
			scopes = append(scopes, stats.Scope{ProductID: product, Language: k.language})
		}
	}
	at := s.t.Now()
	read, err := s.read(ctx, scopes, products, true)
	if err != nil {
		return 0, err
	}
	for some := range slices.Chunk(products, table.MaxItems) {
		if err := s.hintTogether(ctx, some, unsure, read, now.Generation, most); err != nil {
			return 0, err
		}
	}
	hinting, hintCtx := errgroup.WithContext(ctx)
	hinting.SetLimit(announcers)
	for _, product := range products {
		hinting.Go(func() error { return s.hint(hintCtx, product, unsure[product], read, now.Generation, most) })
	}
	if err := hinting.Wait(); err != nil {
		return 0, err
	}
	for _, product := range products {
		// Also if somebody else hinted it: what this process read before may not know.
		s.catalog.hints.Add(product, s.t.Now())
		for _, k := range unsure[product] {
			s.catalog.kinds.Add(kindOf{product, k, now.Generation}, at)
		}
	}
	return now.Generation, nil
}

// hintTogether hints what several products, at most a transaction's items, lack: one
// commit instead of many, and one unit more for each. If somebody else hints at the
// same time nothing is written, and each product is hinted by itself.
func (s *Statistics) hintTogether(ctx context.Context, products []string, unsure map[string][]kind, read known, generation, most int) error {
	var writes []table.Write
	hinted := map[string]hintsItem{}
	for _, product := range products {
		missing, err := s.missing(product, unsure[product], read, generation, most)
		if err != nil {
			return err
		}
		if len(missing) > 0 {
			to, _ := read.hints[product].change(missing, s.t.Now(), time.Time{})
			writes, hinted[product] = append(writes, to.write(s.t.Random())), to
		}
	}
	if len(writes) < 2 {
		return nil
	}
	err := s.t.Transact(ctx, "announce the comments", writes...)
	if _, changed := table.IsRefused(err); changed {
		return nil
	}
	if err == nil {
		maps.Copy(read.hints, hinted)
	}
	return err
}

// hint makes sure that kinds of a product's comments are counted or hinted. Of
// two processes that hint at once the second sees what the first one hinted, so
// that the bound of languages holds exactly.
func (s *Statistics) hint(ctx context.Context, product string, kinds []kind, read known, generation, most int) error {
	for pause := s.t.NewPause(); ; {
		missing, err := s.missing(product, kinds, read, generation, most)
		if err != nil || len(missing) == 0 {
			return err
		}
		to, _ := read.hints[product].change(missing, s.t.Now(), time.Time{})
		err = s.t.Write(ctx, "announce the comment", to.write(s.t.Random()))
		if _, changed := table.IsRefused(err); !changed {
			return err
		}
		if err := pause.Wait(ctx); err != nil {
			return table.Failed("announce the comment", err)
		}
		scopes := []stats.Scope{{ProductID: product}}
		for _, k := range kinds {
			scopes = append(scopes, stats.Scope{ProductID: product, Language: k.language})
		}
		if read, err = s.read(ctx, scopes, []string{product}, true); err != nil {
			return err
		}
	}
}

// missing returns the kinds that must be hinted, in a fixed order.
func (s *Statistics) missing(product string, kinds []kind, read known, generation, most int) (missing []kind, err error) {
	hints := read.hints[product]
	listed := read.items[stats.Scope{ProductID: product}].Languages // also of an older generation
	languages := hints.languages()
	for language := range listed {
		languages[language] = true
	}
	for _, k := range kinds {
		counted := read.items[stats.Scope{ProductID: product, Language: k.language}].as(generation)
		if counted.Tally[k.rating-1] > 0 {
			continue
		}
		if !languages[k.language] && counted.Total() == 0 {
			if len(languages) >= most {
				return nil, errs.Invalid("language", "product %s has comments in %d languages already, and no more are taken", item.Printable(product), len(languages)).For(errs.TooMany).Past(len(languages)+1, most)
			}
			languages[k.language] = true
		}
		if at := hints.at(k); at.IsZero() || !within(at, s.t.Now(), renewal) {
			missing = append(missing, k)
		}
	}
	slices.SortFunc(missing, func(a, b kind) int {
		return cmp.Or(cmp.Compare(a.language, b.language), cmp.Compare(a.rating, b.rating))
	})
	return missing, nil
}
