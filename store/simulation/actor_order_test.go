package simulation

import (
	"slices"
	"time"

	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/errs"
	"product-comments/store/index/attributeorder"
	"product-comments/store/key"
	"product-comments/store/read/plan"
)

// orders walks through pages of a list in some order, on and now and then back, while
// others write.
func orders(a *act) {
	f, ok := a.ordered(a.product())
	if !ok {
		return
	}
	w := store.Window{Limit: []int{1, 2, 3, 5, 20, 100}[a.IntN(6)], Backward: a.chance(0.4)}
	if a.chance(0.2) {
		if at := a.edge(f); at != nil {
			w = from(w, at)
		}
	}
	walk := a.walk()
	for range 1 + a.IntN(6) {
		got, err := a.readPage(a.reading(f, w, walk))
		if err != nil || len(got.Items) == 0 {
			return
		}
		next, more := following(w, got)
		if a.chance(0.15) { // back to where it came from
			at := got.Position(len(got.Items) - 1)
			if !w.Backward {
				at = got.Position(0)
			}
			next, more, walk = from(store.Window{Limit: w.Limit, Backward: !w.Backward}, &at), true, a.walk()
		}
		if w = next; !more {
			return
		}
		if a.chance(0.3) && !a.sleep(a.duration(time.Millisecond, 2*time.Second)) {
			return
		}
	}
}

// ordered draws an order of a product's list, with filters. ok is false if there is no
// such list any more.
func (a *act) ordered(product string) (f plan.Filter, ok bool) {
	f = plan.Filter{ProductID: product}
	if a.chance(0.4) {
		f = a.filter()
		f.ProductID = product
	}
	m := a.model.meaning(product)
	var keys []string
	for k := range sorted(m) {
		keys = append(keys, k)
	}
	f.Order = plan.Order{Field: plan.Field(a.IntN(3)), Ascending: a.chance(0.5)}
	if len(keys) > 0 && a.chance(0.6) {
		f.Order.Field, f.Order.Attribute = plan.ByAttribute, keys[a.IntN(len(keys))]
	}
	if f.Order.ByValue() {
		f.Created = key.Times{}
	}
	if len(keys) == 0 || !a.chance(0.35) {
		return f, true
	}
	var given []plan.AttributeFilter
	for range 1 + a.IntN(2) {
		if k := keys[a.IntN(len(keys))]; !slices.ContainsFunc(given, func(g plan.AttributeFilter) bool { return g.Key == k }) {
			given = append(given, a.wanting(m[k]))
		}
	}
	f.Attributes, ok = a.filters(filtering{product, given})
	return f, ok
}

// filtering are filters by attributes of a product.
type filtering struct {
	Product string
	Filters []plan.AttributeFilter
}

func (a *act) filters(f filtering) (plan.Attributes, bool) {
	c, ctx := a.begin("filters", f)
	out, err := a.server.store.Lists().Filters(ctx, plan.Filter{ProductID: f.Product}, "attributes", f.Filters)
	a.end(c, err, "")
	if err != nil && !a.unknown(c, f.Product, f.Filters, err) {
		a.tolerable(c, err)
	}
	return out, err == nil
}

// wanting draws a filter by an attribute.
func (a *act) wanting(d *attributes.Definition) plan.AttributeFilter {
	f := plan.AttributeFilter{Key: d.Key}
	if (d.Type == attributes.Number || d.Type == attributes.Date) && a.chance(0.6) {
		least, most := a.value(d, true), a.value(d, true)
		if compareValues(d, means(d, least), means(d, most)) > 0 {
			least, most = most, least
		}
		if f.Min = &least; a.chance(0.5) {
			f.Max = &most
		}
		return f
	}
	for range 1 + a.IntN(3) {
		f.Equals = append(f.Equals, a.value(d, true))
	}
	return f
}

// unknown reports whether an error is that a product has no such attribute, or none of
// which a filter can be such, and rightly so as far as the process may know.
func (a *act) unknown(c *call, product string, given []plan.AttributeFilter, err error, keys ...string) bool {
	if errs.CodeOf(err) != errs.BadUserInput {
		return false
	}
	a.model.mu.Lock()
	defer a.model.mu.Unlock()
	for _, m := range a.model.meanings(product, c.began.Add(-a.config.PageAge-a.config.MetaAge-callTimeout), time.Now()) {
		wrong := slices.ContainsFunc(keys, func(k string) bool { return m.meaning[k] == nil })
		for _, f := range given {
			d := m.meaning[f.Key]
			ranged := f.Min != nil || f.Max != nil
			wrong = wrong || d == nil || ranged && d.Type != attributes.Number && d.Type != attributes.Date
			ends := f.Equals
			for _, end := range []*string{f.Min, f.Max} {
				if end != nil {
					ends = append(slices.Clone(ends), *end)
				}
			}
			wrong = wrong || slices.ContainsFunc(ends, func(end string) bool { return means(d, end) == nil })
			wrong = wrong || f.Min != nil && f.Max != nil && compareValues(d, means(d, *f.Min), means(d, *f.Max)) > 0
		}
		if wrong {
			a.marks.add("an order or a filter was refused whose attribute is another one by now")
			return true
		}
	}
	return false
}

// refusedOrder reports whether a list may be refused in its order or with its filters.
func (a *act) refusedOrder(c *call, f plan.Filter, err error) bool {
	var keys []string
	if f.Order.Field == plan.ByAttribute {
		keys = append(keys, f.Order.Attribute)
	}
	given := f.Attributes.List()
	switch {
	case !f.OfAll():
		return false
	case errs.CodeOf(err) == errs.Unavailable:
		a.model.mu.Lock()
		defer a.model.mu.Unlock()
		if !a.model.steady(f.ProductID, c.began.Add(-a.config.MetaAge-callTimeout), time.Now()) {
			a.marks.add("an order was refused until its column is filled")
			return true
		}
		return false
	case a.unknown(c, f.ProductID, given, err, keys...):
		return true
	case errs.CodeOf(err) != errs.BadUserInput:
		return false
	}
	a.model.mu.Lock()
	defer a.model.mu.Unlock()
	rare := !f.Which().All() // hardly any may pass, so that all is read
	for _, m := range a.model.meanings(f.ProductID, c.began.Add(-a.config.MetaAge-callTimeout), time.Now()) {
		if rare || slices.ContainsFunc(given, func(g plan.AttributeFilter) bool { return !m.meaning[g.Key].Shown }) {
			a.marks.add("a filter was refused that costs too much")
			return true
		}
	}
	return false
}

// edge returns the place of any comment that was ever there, deleted ones included, as a
// cursor has it; nil if there is none.
func (a *act) edge(f plan.Filter) *key.Position {
	id := a.model.someID(a)
	a.model.mu.Lock()
	var s *state
	for _, mo := range a.model.comments[id] {
		if mo.after != nil {
			s = mo.after
		}
	}
	a.model.mu.Unlock()
	// A cursor is one of its list, whose comments have the values that are wanted.
	v := &view{h: a.history, f: f, filters: f.Attributes.List(), meaning: a.model.meaning(f.ProductID)}
	if s == nil || !v.wants(s) {
		return nil
	}
	at := s.position()
	switch f.Order.Field {
	case plan.ByRating:
		at.Range = f.Order.RangeOf(s.rating)
	case plan.ByHelpful:
		at.Value = string(attributeorder.HelpfulValue(s.helpful(), s.down))
	case plan.ByAttribute:
		d, err := a.server.store.Attributes().Definitions(a.server.ctx, f.ProductID)
		if err != nil || d.Get(f.Order.Attribute) == nil {
			return nil
		}
		for _, v := range d.Values([]byte(s.attributes)) {
			if v.Key == f.Order.Attribute {
				at.Value = string(v.Sort())
			}
		}
	}
	if f.Order.ByValue() {
		at.Range = f.Order.RangeOfValue(at.Value != "")
	}
	return &at
}

// walk is what was seen of a list in one direction, page by page.
type walk struct {
	began time.Time
	seen  map[string]bool
	next  string // the page that follows
}

// walk returns the number of a new one.
func (a *act) walk() int {
	a.history.mu.Lock()
	defer a.history.mu.Unlock()
	a.walkers++
	return a.walkers
}

// saw takes the next page of a walk, read by a call: no comment comes twice unless it was
// moved itself.
func (a *act) saw(c *call, r reading, got store.Page) {
	a.history.mu.Lock()
	f, m, w := r.Filter, a.model, a.walks[r.Walk]
	if w == nil || w.next != spellPage(f, r.window()) { // when a script is played again, pages begin where they began the first time
		w = &walk{began: c.began, seen: map[string]bool{}}
		a.walks[r.Walk] = w
	}
	next, _ := following(r.window(), got)
	w.next = spellPage(f, next)
	a.history.mu.Unlock()
	since := m.behind(f.ProductID, w.began.Add(-a.config.PageAge-a.config.Double.IndexLag-callTimeout))
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range got.Items {
		id := got.Items[i].ID
		if w.seen[id] {
			a.marks.add("a walk came upon a comment that had moved")
			if len(m.during(id, since, time.Now())) == 1 && m.steady(f.ProductID, since, time.Now()) {
				a.fail("order", id, "a walk through %s shows comment %s twice, which was not moved", spellPage(f, store.Window{}), id)
			}
		}
		w.seen[id] = true
	}
}
