package summaries_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/attributes"
	"product-comments/store/summaries"
	"product-comments/store/summary"
)

// pair is two servers on one table, and the comments as each of them must count them.
type pair struct {
	*world
	r       *rand.Rand
	servers [2]*store.Store
	there   map[string]store.Comment
	counted map[string]store.Comment // by the projector
	by      map[string]int           // which server wrote to a comment that is not counted yet
}

func newPair(t *testing.T) *pair {
	w := newWorld(t)
	w.define(definitions...)
	other := store.New(w.db.Client("other"), "comments", store.Options{PlaceAge: -1, MetaAge: time.Nanosecond})
	p := &pair{w, testkit.Random(t), [2]*store.Store{w.s, other}, map[string]store.Comment{}, map[string]store.Comment{}, map[string]int{}}
	for _, s := range p.servers {
		w.must(s.Columns().Fill(t.Context(), "42"))
	}
	return p
}

func (p *pair) projectAll() {
	p.project()
	p.counted = maps.Clone(p.there)
	clear(p.by)
}

// check compares what both servers tell with what they must.
func (p *pair) check(after string) {
	p.Helper()
	d := attributes.Effective("x", definitions, "", nil)
	for server, s := range p.servers {
		seen := maps.Clone(p.counted)
		for id, by := range p.by {
			if by != server {
				continue
			}
			if c, there := p.there[id]; there {
				seen[id] = c
			} else {
				delete(seen, id)
			}
		}
		for _, language := range []string{"", "en", "de"} {
			for i := range definitions {
				def := &definitions[i]
				read, err := s.Summaries().Of(p.Context(), []summaries.Place{summaries.PlaceOf("42", language, def.Key)})
				p.must(err)
				var want summary.Summary
				for _, c := range seen {
					if language != "" && c.Language != language {
						continue
					}
					for _, v := range d.Values(c.Attributes) {
						switch {
						case v.Key != def.Key:
						case v.Type == attributes.Number:
							want = want.Plus(summary.OfNumber(v.Number, 1))
						case v.Type == attributes.Choice || v.Type == attributes.Boolean:
							want = want.Plus(summary.OfChoice(v.String(), 1))
						default:
							want = want.Plus(summary.OfOther(1))
						}
					}
				}
				got := read[0][def.Key]
				average, _ := got.Average()
				if wanted, _ := want.Average(); !got.Same(want) || average != wanted {
					p.Fatalf("after %s server %d counts of %q in %q %+v, not %+v", after, server, def.Key, language, got, want)
				}
				least, greatest, any := want.Extremes()
				for i, extreme := range []float64{least, greatest} {
					if got, ok, err := s.Extreme(p.Context(), "42", language, def.Key, got, i == 1); err != nil || ok != any || got != extreme {
						p.Fatalf("after %s server %d tells of %q in %q %v, %t, %v, not %v", after, server, def.Key, language, got, ok, err, extreme)
					}
				}
			}
		}
	}
}

// values draws what is given of some attributes, "" to remove them.
func (p *pair) values() (given []attributes.Input) {
	for attribute, of := range map[string][]string{"fit": {"-1.5", "2", "2.0", "0.1", ""}, "worn": {"true", "false", ""}, "size": {"S", "M", ""}, "note": {"a", "b", ""}} {
		if p.r.IntN(2) == 0 {
			given = append(given, attributes.Input{Key: attribute, Value: of[p.r.IntN(len(of))]})
		}
	}
	return given
}

// free draws a comment that no other server has written to since it was counted.
func (p *pair) free(by int) (c store.Comment, ok bool) {
	for id, c := range p.there {
		if other, uncounted := p.by[id]; !uncounted || other == by {
			return c, true
		}
	}
	return c, false
}

// A server counts the values that it wrote exactly once, before the projector does and
// after; those that another wrote it counts when the projector has.
func TestOwnValuesCountOnce(t *testing.T) {
	p := newPair(t)
	for range 60 {
		by, language := p.r.IntN(2), []string{"en", "de"}[p.r.IntN(2)]
		s := p.servers[by]
		c, any := p.free(by)
		what := "a create"
		switch n := p.r.IntN(12); {
		case n < 2:
			what = "projecting"
			p.projectAll()
		case n < 6 || !any:
			c, err := s.Create(t.Context(), store.NewComment{ProductID: "42", Rating: 1 + p.r.IntN(5), Language: language, Attributes: p.values()})
			p.must(err)
			p.there[c.ID], p.by[c.ID] = c, by
		case n < 10:
			what = "an update"
			change := store.Change{ID: c.ID, Attributes: p.values()}
			if p.r.IntN(3) == 0 {
				change.Language = &language
			}
			c, err := s.Update(t.Context(), change)
			p.must(err)
			p.there[c.ID], p.by[c.ID] = c, by
		default:
			what = "a delete"
			_, err := s.Delete(t.Context(), c.ID, nil)
			p.must(err)
			delete(p.there, c.ID)
			p.by[c.ID] = by
		}
		p.check(what)
	}
	p.projectAll()
	p.check("everything")
	if wrong := p.verified(); len(wrong) > 0 {
		t.Error(wrong)
	}
	for id := range p.there {
		_, err := p.s.Delete(t.Context(), id, nil)
		p.must(err)
	}
	p.gone()
}

// What a server takes away of values that another wrote a moment ago is not there yet:
// nothing falls below zero, and what the server adds is there.
func TestOwnValuesOvertakeOthers(t *testing.T) {
	p := newPair(t)
	c, err := p.servers[0].Create(t.Context(), store.NewComment{ProductID: "42", Rating: 5, Language: "en", Attributes: []attributes.Input{{Key: "fit", Value: "2"}, {Key: "size", Value: "S"}}})
	p.must(err)
	_, err = p.servers[1].Update(t.Context(), store.Change{ID: c.ID, Attributes: []attributes.Input{{Key: "fit", Value: "3"}, {Key: "size", Value: ""}}})
	p.must(err)
	read, err := p.servers[1].Summaries().Of(t.Context(), []summaries.Place{summaries.PlaceOf("42", "en", "fit"), summaries.PlaceOf("42", "en", "size")})
	p.must(err)
	if got := fmt.Sprint(read[0]["fit"].Histogram(), read[1]["size"].Choices); got != "[{3 3 1}] map[]" {
		t.Error(got)
	}
	now, err := p.servers[1].Get(t.Context(), c.ID)
	p.must(err)
	p.there[c.ID] = *now
	p.projectAll()
	p.check("projecting")
}
