package statistics_test

import (
	"testing"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/stats"
	"product-comments/store/storetest"
)

// pair is two servers on one table, and what each of them must count.
type pair struct {
	t       *testing.T
	servers [2]*store.Store
	there   []store.Comment
	counted map[kind]int    // by the projector
	own     [2]map[kind]int // that it has not counted yet, by server
}

type kind struct {
	language string
	rating   int
}

func newPair(t *testing.T) *pair {
	p := &pair{t: t, counted: map[kind]int{}, own: [2]map[kind]int{{}, {}}}
	p.servers[0] = newStore(t, store.Options{})
	p.servers[1] = storeOn(t, p.servers[0].Table(), store.Options{})
	p.project()
	return p
}

func (p *pair) project() {
	p.t.Helper()
	storetest.Project(p.t, p.servers[0].Projector())
	for i := range p.own {
		for k, n := range p.own[i] {
			p.counted[k] += n
		}
		clear(p.own[i])
	}
}

// check compares what both servers count with what they must.
func (p *pair) check(after string) {
	p.t.Helper()
	for i, s := range p.servers {
		for _, language := range []string{"", "en", "de"} {
			got := testkit.Value(s.Statistics(p.t.Context(), []stats.Scope{{ProductID: "42", Language: language}}))(p.t)
			var want stats.Tally
			for _, tag := range []string{"en", "de"} {
				for rating := range want {
					if k := (kind{tag, rating + 1}); language == "" || language == tag {
						want[rating] += max(0, p.counted[k]+p.own[i][k]) // it may have deleted what another wrote
					}
				}
			}
			if got[0].Tally != want {
				p.t.Fatalf("after %s server %d counts %v in %q, not %v", after, i, got[0].Tally, language, want)
			}
		}
	}
}

func (p *pair) create(by, rating int, language string) {
	p.t.Helper()
	c := testkit.Value(p.servers[by].Create(p.t.Context(), store.NewComment{ProductID: "42", Rating: rating, Language: language}))(p.t)
	p.own[by][kind{language, rating}]++
	p.there = append(p.there, c)
}

func (p *pair) update(by, i, rating int, language string) {
	p.t.Helper()
	was := p.there[i]
	p.there[i] = testkit.Value(p.servers[by].Update(p.t.Context(), store.Change{ID: was.ID, Rating: &rating, Language: &language}))(p.t)
	p.own[by][kind{was.Language, was.Rating}]--
	p.own[by][kind{language, rating}]++
}

func (p *pair) remove(by, i int) {
	p.t.Helper()
	was := testkit.Value(p.servers[by].Delete(p.t.Context(), p.there[i].ID, nil))(p.t)
	p.own[by][kind{was.Language, was.Rating}]--
	p.there = append(p.there[:i], p.there[i+1:]...)
}

// A server counts what it wrote and was acknowledged exactly once, before the
// projector does and after; what another wrote it counts when the projector has.
func TestOwnWritesCountOnce(t *testing.T) {
	r := testkit.Random(t)
	p := newPair(t)
	for range 30 {
		by, rating, language := r.IntN(2), 1+r.IntN(5), []string{"en", "de"}[r.IntN(2)]
		what := "a create"
		switch n := r.IntN(10); {
		case n < 2:
			what = "projecting"
			p.project()
		case n < 6 || len(p.there) == 0:
			p.create(by, rating, language)
		case n < 8:
			what = "an update"
			p.update(by, r.IntN(len(p.there)), rating, language)
		default:
			what = "a delete"
			p.remove(by, r.IntN(len(p.there)))
		}
		p.check(what)
	}
	p.project()
	p.check("everything")
}

// Statistics that count nothing still say whose writes they have counted: their
// server does not count a comment that another has deleted.
func TestZeroRemembersWrites(t *testing.T) {
	p := newPair(t)
	p.create(0, 4, "en")
	p.remove(1, 0)
	p.project() // both at once, of which nothing remains
	p.check("a create and a delete together")
	p.create(0, 5, "de")
	p.project()
	p.check("a create")
	p.remove(1, 0)
	p.project()
	p.check("its delete")
	p.create(0, 3, "en")
	p.check("another create")
}
