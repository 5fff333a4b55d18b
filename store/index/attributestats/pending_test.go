package attributestats_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/comment/stats"
	"product-comments/store/index/attributestats"
	"product-comments/store/index/attributestats/summary"
	"product-comments/store/storetest"
)

// pair is two servers on one table, and the comments as each of them must count them.
type pair struct {
	*world
	r       *rand.Rand
	servers [2]*store.Store
	there   map[string]store.Comment
	counted map[string]store.Comment // by the projector
	by      map[string]int           // which server wrote to a comment that is not counted yet
	counts  map[kind]int             // by the projector
	pending [2]map[kind]int          // that it has not counted yet, by server
}

func newPair(t *testing.T) *pair {
	w := newWorld(t)
	w.define(ofProduct...)
	other := store.New(w.db.Client("other"), "comments", store.Options{PlaceAge: -1, MetaAge: time.Nanosecond})
	p := &pair{w, testkit.Random(t), [2]*store.Store{w.s, other}, map[string]store.Comment{}, map[string]store.Comment{}, map[string]int{}, map[kind]int{}, [2]map[kind]int{{}, {}}}
	for _, s := range p.servers {
		w.must(s.AttributeIndex().Backfill().Finish(t.Context(), "42", true, nil))
	}
	return p
}

func (p *pair) projectAll() {
	p.project()
	p.counted = maps.Clone(p.there)
	clear(p.by)
	for i := range p.pending {
		for k, n := range p.pending[i] {
			p.counts[k] += n
		}
		clear(p.pending[i])
	}
}

// check compares what both servers tell with what they must.
func (p *pair) check(after string) {
	p.Helper()
	d := attributes.Effective("x", ofProduct, "", nil)
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
			p.checkCounts(after, server, language)
			for i := range ofProduct {
				def := &ofProduct[i]
				of := attributestats.Attribute{ProductID: "42", Language: language, Key: def.Key}
				read, err := s.AttributeStats().Read(p.Context(), []attributestats.Attribute{of})
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
							want = want.Plus(summary.NumberValue(v.Number).Times(1))
						case v.Type == attributes.Choice || v.Type == attributes.Boolean:
							want = want.Plus(summary.ChoiceValue(v.String()).Times(1))
						default:
							want = want.Plus(summary.Value{}.Times(1))
						}
					}
				}
				got := read[0]
				average, _ := got.Average()
				if wanted, _ := want.Average(); !got.Same(want) || average != wanted {
					p.Fatalf("after %s server %d counts of %q in %q %+v, not %+v", after, server, def.Key, language, got, want)
				}
				least, greatest, any := want.Extremes()
				for i, extreme := range []float64{least, greatest} {
					if got, ok, err := s.Lists().Extreme(p.Context(), of, got, i == 1); err != nil || ok != any || got != extreme {
						p.Fatalf("after %s server %d tells of %q in %q %v, %t, %v, not %v", after, server, def.Key, language, got, ok, err, extreme)
					}
				}
			}
		}
	}
}

// kind is what comments are counted by.
type kind struct {
	language string
	rating   int
}

// changed notes that a server took a comment from one state to another, nil for none.
func (p *pair) changed(by int, before, after *store.Comment) {
	if before != nil {
		p.pending[by][kind{before.Language, before.Rating}]--
	}
	if after != nil {
		p.pending[by][kind{after.Language, after.Rating}]++
	}
}

// checkCounts compares what a server counts by rating with what it must.
func (p *pair) checkCounts(after string, server int, language string) {
	p.Helper()
	read, err := p.servers[server].Statistics(p.Context(), []stats.Scope{{ProductID: "42", Language: language}})
	p.must(err)
	var want stats.Tally
	for _, tag := range []string{"en", "de"} {
		for rating := range want {
			if k := (kind{tag, rating + 1}); language == "" || language == tag {
				want[rating] += max(0, p.counts[k]+p.pending[server][k]) // it may have deleted what another wrote
			}
		}
	}
	if got := read[0].Tally; got != want {
		p.Fatalf("after %s server %d counts in %q %v, not %v", after, server, language, got, want)
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

// create makes a comment.
func (p *pair) create(by, rating int, language string, given ...attributes.Input) store.Comment {
	p.Helper()
	c, err := p.servers[by].Create(p.Context(), store.NewComment{ProductID: "42", Rating: rating, Language: language, Attributes: given})
	p.must(err)
	p.there[c.ID], p.by[c.ID] = c, by
	p.changed(by, nil, &c)
	return c
}

// update changes a comment.
func (p *pair) update(by int, before store.Comment, change store.Change) {
	p.Helper()
	change.ID = before.ID
	after, err := p.servers[by].Update(p.Context(), change)
	p.must(err)
	p.there[after.ID] = after
	p.changed(by, &before, &after)
}

// remove deletes a comment.
func (p *pair) remove(by int, c store.Comment) {
	p.Helper()
	_, err := p.servers[by].Delete(p.Context(), c.ID, nil)
	p.must(err)
	delete(p.there, c.ID)
	p.by[c.ID] = by
	p.changed(by, &c, nil)
}

// A server counts the comments and values that it wrote exactly once, before the projector
// does and after; the ones that another wrote it counts when the projector has.
func TestPendingWritesCountOnce(t *testing.T) {
	p := newPair(t)
	for range 60 {
		by, rating, language := p.r.IntN(2), 1+p.r.IntN(5), []string{"en", "de"}[p.r.IntN(2)]
		c, free := p.free(by)
		what := "a create"
		switch n := p.r.IntN(13); {
		case n < 2:
			what = "projecting"
			p.projectAll()
		case n < 6 || len(p.there) == 0:
			p.create(by, rating, language, p.values()...)
		case n < 8 || !free:
			what = "another rating of any comment"
			for _, c := range p.there {
				p.update(by, c, store.Change{Rating: &rating})
				if _, uncounted := p.by[c.ID]; !uncounted {
					p.by[c.ID] = by
				}
				break
			}
		case n < 11:
			what = "an update"
			change := store.Change{Attributes: p.values()}
			if p.r.IntN(3) == 0 {
				change.Language, change.Rating = &language, &rating
			}
			p.update(by, c, change)
			p.by[c.ID] = by
		default:
			what = "a delete"
			p.remove(by, c)
		}
		p.check(what)
	}
	p.projectAll()
	p.check("everything")
	storetest.Verified(t, p.s.Projector())
	for _, c := range p.there {
		p.remove(0, c)
	}
	p.gone()
}

// Statistics that count nothing still say whose writes they have counted: their
// server does not count a comment that another has deleted.
func TestZeroRemembersWrites(t *testing.T) {
	p := newPair(t)
	p.remove(1, p.create(0, 4, "en"))
	p.projectAll() // both at once, of which nothing remains
	p.check("a create and a delete together")
	c := p.create(0, 5, "de")
	p.projectAll()
	p.check("a create")
	p.remove(1, c)
	p.projectAll()
	p.check("its delete")
	p.create(0, 3, "en")
	p.check("another create")
}

// What a server takes away of values that another wrote a moment ago is not there yet:
// nothing falls below zero, and what the server adds is there.
func TestPendingWritesOvertakeOthers(t *testing.T) {
	p := newPair(t)
	c := p.create(0, 5, "en", attributes.Input{Key: "fit", Value: "2"}, attributes.Input{Key: "size", Value: "S"})
	p.update(1, c, store.Change{Attributes: []attributes.Input{{Key: "fit", Value: "3"}, {Key: "size", Value: ""}}})
	read, err := p.servers[1].AttributeStats().Read(t.Context(), []attributestats.Attribute{{ProductID: "42", Language: "en", Key: "fit"}, {ProductID: "42", Language: "en", Key: "size"}})
	p.must(err)
	if got := fmt.Sprint(read[0].Histogram(), read[1].Choices); got != "[{3 3 1}] map[]" {
		t.Error(got)
	}
	p.checkCounts("an update", 1, "en")
	p.remove(1, p.there[c.ID])
	p.checkCounts("a delete", 1, "")
	p.projectAll()
	p.check("projecting")
}
