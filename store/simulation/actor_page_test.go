package simulation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"product-comments/store"
	"product-comments/store/comment/stats"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/read/shared"
)

// page walks through some pages of a filter, from either end or from anywhere.
func page(a *act) {
	if a.chance(0.2) {
		a.look(a.product())
		return
	}
	f := a.filter()
	family := a.chance(0.2) && !f.Regions
	w := store.Window{Limit: []int{1, 2, 3, 5, 20, 100}[a.IntN(6)], Backward: a.chance(0.3)}
	if a.chance(0.2) {
		if all := a.model.all(); len(all) > 0 {
			at := all[a.IntN(len(all))].position()
			w = from(w, &at)
		}
	}
	for range 1 + a.IntN(4) {
		if family { // other products are in it at each page
			f.ProductID, f.Family = "", a.family()
		}
		got, err := a.readPage(a.reading(f, w, 0))
		next, more := following(w, got)
		if err != nil || !more {
			return
		}
		w = next
	}
}

// family draws a family of some products.
func (a *act) family() plan.Family {
	var members []string
	for range 1 + a.IntN(3) {
		if product := a.product(); !slices.Contains(members, product) {
			members = append(members, product)
		}
	}
	if len(members) > 1 {
		a.marks.add("a page of several products was read")
	}
	return plan.Family{ID: "family", Members: key.ProductsOf(members...)}
}

// following returns the window behind a page, in the direction of reading; more is false
// at the list's end.
func following(w store.Window, got store.Page) (next store.Window, more bool) {
	last := len(got.Items) - 1
	if last < 0 || w.Backward && !got.HasPrevious || !w.Backward && !got.HasNext {
		return w, false
	}
	if w.Backward {
		last = 0
	}
	return from(w, new(got.Position(last))), true
}

// from returns the window that begins at a place.
func from(w store.Window, at *key.Position) store.Window {
	if w.Backward {
		w.Before = at
	} else {
		w.After = at
	}
	return w
}

// look reads the counts and the page that everybody looks at, as an author does who
// wants to see what was written: at once, and again a little later.
func (a *act) look(product string) {
	if a.dice == nil { // a script says when
		return
	}
	a.counts(counting{[]stats.Scope{{ProductID: product}, {ProductID: product, Language: a.language()}}, a.fresh()})
	if !a.chance(0.4) {
		return
	}
	f, w := plan.Filter{ProductID: product}, store.Window{Limit: 20}
	if _, err := a.readPage(a.reading(f, w, 0)); err != nil || !a.sleep(a.duration(time.Millisecond, time.Second)) {
		return
	}
	_, _ = a.readPage(a.reading(f, w, 0))
	a.counts(counting{[]stats.Scope{{ProductID: product}}, a.fresh()})
}

// filter draws one of all filters.
func (a *act) filter() plan.Filter {
	f := plan.Filter{ProductID: a.product()}
	if a.chance(0.5) {
		tags := []string{a.language()}
		for a.chance(0.5) && len(tags) < 4 {
			tags = append(tags, a.language())
		}
		f.Languages, f.Regions = key.LanguagesOf(tags...), a.chance(0.3)
	}
	f.WithText, f.VerifiedOnly, f.WithPhotos = a.chance(0.15), a.chance(0.15), a.config.Photos && a.chance(0.2)
	if a.chance(0.15) {
		f.Incentives = plan.IncentivesOf(new(a.chance(0.5)))
	}
	if a.chance(0.15) {
		f.Created = a.times()
	}
	if a.chance(0.75) {
		f.Ratings = key.Ratings(a.IntN(32)).Canonical()
	}
	return f
}

// times draws a range of times whose ends are times of comments, or open.
func (a *act) times() key.Times {
	var ends [2]time.Time
	all := a.model.all()
	for i := range ends {
		if len(all) > 0 && a.chance(0.7) {
			ends[i] = all[a.IntN(len(all))].position().CreatedAt
		}
	}
	if !ends[1].IsZero() && ends[1].Before(ends[0]) {
		ends[0], ends[1] = ends[1], ends[0]
	}
	return key.TimesOf(ends[0], ends[1])
}

// reading is that of one page, alone or, if it has a number, as one of a walk.
type reading struct {
	plan.Filter
	Limit    int
	Backward bool
	From     *key.Position
	Value    []byte // that of From, which need not be text
	Fresh    bool   // for a viewer who shares no read
	Walk     int
}

// reading draws how a page is read.
func (a *act) reading(f plan.Filter, w store.Window, walk int) reading {
	r := reading{Filter: f, Limit: w.Limit, Backward: w.Backward, Fresh: a.fresh(), Walk: walk}
	if at := cmp.Or(w.After, w.Before); at != nil {
		r.From, r.Value = new(*at), []byte(at.Value)
		r.From.Value = ""
	}
	return r
}

func (r reading) window() store.Window {
	w := store.Window{Limit: r.Limit, Backward: r.Backward}
	if r.From == nil {
		return w
	}
	at := *r.From
	at.Value = string(r.Value)
	return from(w, &at)
}

// readPage reads one page and checks it.
func (a *act) readPage(r reading) (store.Page, error) {
	c, ctx := a.begin("page", r)
	f, w := r.Filter, r.window()
	ctx = asFresh(ctx, r.Fresh)
	since := c.process.begunBy(ctx, f.Products(), spellPage(f, w), c)
	got, err := a.server.store.Page(ctx, f, w)
	c.process.endedRead(spellPage(f, w), c)
	a.end(c, err, "%d comments, next %t, previous %t, %s", len(got.Items), got.HasNext, got.HasPrevious, got.Plan.Strategy)
	if err != nil {
		if (f.Regions || f.OfAll()) && a.untrusted(c, err) {
			a.marks.add("regions were refused")
		} else if a.refusedOrder(c, f, err) {
			return got, err
		} else {
			a.tolerable(c, err)
		}
		return got, err
	}
	v := &view{h: a.history, c: c, f: f, w: w, since: since, to: time.Now()}
	v.check(got)
	if r.Walk > 0 && len(got.Items) > 0 {
		a.saw(c, r, got)
	}
	return got, nil
}

func spellPage(f plan.Filter, w store.Window) string {
	s := fmt.Sprintf("of %q %s %s regions %t %+v %s, ", f.Products(), f.Languages, f.Ratings, f.Regions, f.Which(), f.Created)
	if f.Order != (plan.Order{}) || f.Attributes != "" {
		s += f.Order.String() + " " + string(f.Attributes) + ", "
	}
	if w.Backward {
		s += "last "
	} else {
		s += "first "
	}
	s += itoa(w.Limit)
	if w.After != nil {
		s += fmt.Sprintf(" after %d %q", w.After.Range, w.After.SortKey())
	}
	if w.Before != nil {
		s += fmt.Sprintf(" before %d %q", w.Before.Range, w.Before.SortKey())
	}
	return s
}

// read is one that is under way, of which others may get the answer.
type read struct {
	c     *call
	since asOf
}

// asOf is how old an answer may be: one that was kept, and one that shows what
// the same server wrote.
type asOf struct{ kept, own time.Time }

// fresh draws whether a read is that of a viewer who shares none.
func (a *act) fresh() bool { return a.chance(0.1) }

// asFresh returns the context of a read, that of such a viewer if it is to be.
func asFresh(ctx context.Context, fresh bool) context.Context {
	if fresh {
		return shared.Fresh(ctx)
	}
	return ctx
}

// begunBy notes a read, and returns as of when it is: another caller's read that
// is under way may answer it, or one that was kept. Never one that began before
// a write of the same server took effect, whose call may go on to ask what became of it,
// nor one that was kept before an index had it. Nothing answers a read with a context of
// shared.Fresh but itself.
func (p *process) begunBy(ctx context.Context, products []string, what string, c *call) asOf {
	if shared.IsFresh(ctx) {
		return asOf{c.began, c.began}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	since := asOf{c.began.Add(-p.h.config.PageAge), c.began}
	for _, r := range p.reads[what] {
		since = asOf{earlier(since.kept, r.since.kept), earlier(since.own, r.since.own)}
	}
	p.reads[what] = append(p.reads[what], &read{c, since})
	for _, product := range products {
		wrote := p.wrote[product]
		since = asOf{later(since.kept, wrote.kept), later(since.own, wrote.own)}
	}
	return since
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (p *process) endedRead(what string, c *call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reads[what] = slices.DeleteFunc(p.reads[what], func(r *read) bool { return r.c == c })
}
