package simulation

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/errs"
	"product-comments/store/index/attributestats"
	"product-comments/store/index/attributestats/summary"
	"product-comments/store/key"
	"product-comments/store/key/sortable"
	"product-comments/store/read/plan"
	"product-comments/store/settings/definitions"
)

// columnEntry is where a comment is in a column.
type columnEntry struct {
	product, attribute string // the latter is empty for comments without any value
	id                 string
}

// wantedEntry is what stands there.
type wantedEntry struct {
	*state
	value any // nil for none
}

// expectColumns notes the entries and the statistics of attributes that a comment
// demands, and under which version it must be.
func (x *demanded) expectColumns(s *state) {
	m := x.h.model.meanings(s.product, x.h.until(), x.h.until())[0]
	says := s.says(m.meaning)
	x.expectSummaries(s, m.meaning, says)
	if m.none {
		return
	}
	var helpful any
	if s.helpful() > 0 {
		helpful = s.ranked()
	}
	x.entries[columnEntry{s.product, key.Helpful, s.id}] = wantedEntry{s, helpful}
	if len(says) == 0 && len(m.meaning) > 0 {
		x.entries[columnEntry{s.product, "", s.id}] = wantedEntry{s, nil}
		return
	}
	for k := range m.meaning {
		x.entries[columnEntry{s.product, k, s.id}] = wantedEntry{s, says[k]}
	}
}

// entry compares an entry of a column with its comment.
func (x *demanded) entry(it item) string {
	product, attribute, valued, _ := key.ParseColumn(text(it, key.PK))
	sk, ok := it[key.SK].(*types.AttributeValueMemberB)
	if !ok {
		return "it has no place"
	}
	place := sk.Value
	var value any
	if valued {
		decoded, rest, ok := sortable.Decode(place)
		if !ok {
			return fmt.Sprintf("its value %x cannot be read", place)
		}
		place, value = rest, readValue(decoded)
	}
	at, ok := key.ParseSortKey(string(place))
	if !ok {
		return fmt.Sprintf("its place %q cannot be read", place)
	}
	in := columnEntry{product, attribute, at.CommentID}
	want, ok := x.entries[in]
	if !ok {
		return fmt.Sprintf("comment %s should not be in the column %q", at.CommentID, attribute)
	}
	delete(x.entries, in)
	m := x.h.model.meanings(product, x.h.until(), x.h.until())[0].meaning
	switch {
	case key.Compare(at, want.position()) != 0:
		return fmt.Sprintf("it is at %s, not %s", at.SortKey(), want.position().SortKey())
	case (value == nil) != (want.value == nil) || value != nil && compareValues(m[attribute], value, want.value) != 0:
		return fmt.Sprintf("its value is %v, not %v", value, want.value)
	case text(it, "lang") != want.language || number(it, "rating", 0) != want.rating:
		return fmt.Sprintf("it is of a comment in %s rated %d, not %s rated %d", text(it, "lang"), number(it, "rating", 0), want.language, want.rating)
	}
	if valued && attribute != key.Helpful {
		x.h.marks.add("values of columns were compared at the end")
	}
	return shownWrong(it, want.state, m)
}

// shownWrong tells what is wrong with the attributes that an item shows.
func shownWrong(it item, s *state, m meaning) string {
	got := map[string]types.AttributeValue{}
	if all, ok := it["sa"].(*types.AttributeValueMemberM); ok {
		got = maps.Clone(all.Value)
	}
	for k, want := range s.says(m) {
		d := m[k]
		if !d.Shown {
			continue
		}
		var value any
		switch v := got[k].(type) {
		case *types.AttributeValueMemberS:
			value = means(d, v.Value)
		case *types.AttributeValueMemberN:
			value = means(d, v.Value)
		case *types.AttributeValueMemberBOOL:
			value = means(d, v.Value)
		}
		if value == nil || compareValues(d, value, want) != 0 {
			return fmt.Sprintf("it shows %v as %q, not %v", value, k, want)
		}
		delete(got, k)
	}
	if len(got) > 0 {
		return fmt.Sprintf("it shows %v, and should not", slices.Collect(maps.Keys(got)))
	}
	return ""
}

// summaryOf names the statistics of an attribute in a language, or in any.
type summaryOf struct{ product, language, attribute string }

// tallied is what statistics of an attribute must say.
type tallied struct {
	numbers, others int
	sum             *big.Rat
	choices         map[string]int
}

func (x *demanded) expectSummaries(s *state, m meaning, says map[string]any) {
	for k, value := range says {
		for _, language := range []string{"", s.language} {
			of := summaryOf{s.product, language, k}
			t := x.summaries[of]
			if t == nil {
				t = &tallied{sum: new(big.Rat), choices: map[string]int{}}
				x.summaries[of] = t
			}
			switch v := value.(type) {
			case *big.Rat:
				t.numbers++
				t.sum.Add(t.sum, v)
			case int:
				t.choices[m[k].Options[v].Value]++
			case bool:
				t.choices[fmt.Sprint(v)]++
			default:
				t.others++
			}
		}
	}
}

// summarized compares statistics of attributes with the comments.
func (x *demanded) summarized(it item) string {
	product, _ := key.ProductID(text(it, key.PK))
	part, language, _ := key.ParseSummariesSK(text(it, key.SK))
	all, _ := it["of"].(*types.AttributeValueMemberM)
	if all == nil {
		return "it has none"
	}
	for k, v := range all.Value {
		of := summaryOf{product, language, k}
		want := x.summaries[of]
		delete(x.summaries, of)
		packed, _ := v.(*types.AttributeValueMemberB)
		if packed == nil || key.SummaryPart(k) != part {
			return fmt.Sprintf("it should not have %q", k)
		}
		got, err := summary.Parse(packed.Value)
		if err != nil {
			return err.Error()
		}
		if want == nil {
			return fmt.Sprintf("no comment has a value of %q", k)
		}
		if wrong := want.differs(got); wrong != "" {
			return fmt.Sprintf("of %q %s", k, wrong)
		}
		x.h.marks.add("statistics of attributes were compared at the end")
	}
	return ""
}

// differs tells how statistics are not the ones that they must be.
func (t *tallied) differs(got summary.Summary) string {
	sum, _ := new(big.Rat).SetString(got.Sum.String())
	if got.Numbers != t.numbers || got.Others != t.others || sum == nil || sum.Cmp(t.sum) != 0 || !maps.Equal(got.Choices, t.choices) && len(got.Choices)+len(t.choices) > 0 {
		return fmt.Sprintf("it counts %d numbers with the sum %s, %d others and %v, not %d, %s, %d and %v", got.Numbers, got.Sum, got.Others, got.Choices, t.numbers, t.sum.FloatString(3), t.others, t.choices)
	}
	rows := 0
	for _, b := range got.Histogram() {
		rows += b.Count
	}
	if rows != t.numbers {
		return fmt.Sprintf("its histogram has %d numbers of %d", rows, t.numbers)
	}
	return ""
}

// someFilters is how many filters of each product are walked through at the end, and how
// many orders.
const someFilters = 12

// listed walks through lists when all is quiet, by filters and in all orders, and compares
// each with the comments, sorted here.
func (h *history) listed(a *act) {
	for _, product := range h.config.Products {
		for i := range 2 * someFilters {
			f, ok := plan.Filter{}, true
			switch {
			case i >= someFilters:
				f, ok = a.ordered(product)
			case i > 0:
				f = a.filter()
			}
			f.ProductID = product
			if !ok && h.config.Calls.Latency > callTimeout/25 {
				continue
			}
			if !ok && !h.failed() {
				h.fail("stuck", "", "everything is quiet, but a filter of %q was refused", product)
			}
			if h.failed() {
				return
			}
			h.walked(a, f)
		}
	}
}

func (h *history) walked(a *act, f plan.Filter) {
	w := store.Window{Limit: []int{100, 20, 3, 7}[a.IntN(4)], Backward: a.chance(0.4)}
	var got []string
	for {
		page, err := a.readPage(a.reading(f, w, 0))
		if err != nil {
			if !h.failed() && !(f.OfAll() && a.costs(f, err)) && !h.tooSlow(err) {
				h.fail("stuck", "", "everything is quiet, but the page %s failed: %v", spellPage(f, w), err)
			}
			return
		}
		if h.failed() {
			return
		}
		var ids []string
		for i := range page.Items {
			ids = append(ids, page.Items[i].ID)
		}
		if w.Backward {
			got = append(ids, got...)
		} else {
			got = append(got, ids...)
		}
		next, more := following(w, page)
		if w = next; !more {
			break
		}
	}
	v := &view{h: h, f: f, filters: f.Attributes.List(), meaning: h.model.meaning(f.ProductID)}
	all := slices.DeleteFunc(h.model.all(), func(s *state) bool { return !v.passes(s) })
	slices.SortFunc(all, func(a, b *state) int { return v.compare(v.spotOf(a), v.spotOf(b)) })
	want := make([]string, len(all))
	for i, s := range all {
		want[i] = s.id
	}
	if !slices.Equal(got, want) {
		h.fail("order", "", "everything is quiet, but the list %s is %v, not %v", spellPage(f, w), got, want)
	}
	h.marks.add("a walk was compared with all comments: " + f.Order.String()[:min(len(f.Order.String()), 14)])
}

// costs reports whether an error is that a list is refused because it costs too much, as it
// may be with filters by attributes that lists do not show, and with the ones that hardly any
// comment may pass.
func (a *act) costs(f plan.Filter, err error) bool {
	m := a.model.meaning(f.ProductID)
	hidden := func(g plan.AttributeFilter) bool { return !m[g.Key].Shown }
	return errs.CodeOf(err) == errs.BadUserInput && (!f.Which().All() || slices.ContainsFunc(f.Attributes.List(), hidden))
}

// versions returns which versions of definitions products have.
func (h *history) versions() map[string]string {
	reader := h.start("operator", 0)
	defer reader.kill()
	out := map[string]string{}
	for _, product := range h.config.Products {
		d, err := reader.store.Attributes().Definitions(reader.ctx, product)
		if err != nil {
			h.fail("stuck", "", "everything is quiet, but the definitions of %q cannot be read: %v", product, err)
			continue
		}
		out[product] = d.Version()
	}
	return out
}

// until is a time after all that happened.
func (h *history) until() time.Time { return time.Now().Add(time.Nanosecond) }

// definition checks what is kept about definitions.
func (x *demanded) definition(it item, pk, sk string) string {
	of, _ := scopeOf(pk)
	switch {
	case pk == key.AttributeFills:
		return "comments are still being brought to definitions"
	case sk == key.ColumnsSK && text(it, "filled") != x.versions[of.Product]:
		return fmt.Sprintf("comments reached the definitions %q, not %q", text(it, "filled"), x.versions[of.Product])
	case of.Group != "" && sk != key.AttributesSK && !strings.HasPrefix(sk, key.AttributesSK+"#"):
		product, _ := key.ProductID(sk)
		if in := x.h.model.has(definitions.Scope{Product: product}).group; in != of.Group {
			return fmt.Sprintf("the product is in the group %q", in)
		}
	}
	return ""
}

// summarized compares what the store says of the values of attributes with the comments
// when all is quiet.
func (h *history) summarized(a *act) {
	for _, product := range h.config.Products {
		m := h.model.meaning(product)
		for k, d := range sorted(m) {
			if a.chance(5 / float64(len(m))) {
				h.summarizedIn(a, product, "", d)
				h.summarizedIn(a, product, a.language(), m[k])
			}
		}
	}
}

func (h *history) summarizedIn(a *act, product, language string, d *attributes.Definition) {
	x := &demanded{h: h, summaries: map[summaryOf]*tallied{}}
	m := h.model.meaning(product)
	var least, most *big.Rat
	for _, s := range h.model.all() {
		if s.product != product || s.hidden() {
			continue
		}
		says := s.says(m)
		x.expectSummaries(s, m, says)
		if n, ok := says[d.Key].(*big.Rat); ok && (language == "" || s.language == language) {
			if least == nil || n.Cmp(least) < 0 {
				least = n
			}
			if most == nil || n.Cmp(most) > 0 {
				most = n
			}
		}
	}
	of := attributestats.Attribute{ProductID: product, Language: language, Key: d.Key}
	c, ctx := a.begin("summaries", of)
	read, err := a.server.store.AttributeStats().Read(ctx, []attributestats.Attribute{of})
	a.end(c, err, "")
	if err != nil && h.tooSlow(err) {
		return
	}
	if err != nil {
		h.fail("stuck", "", "everything is quiet, but %s failed: %v", c, err)
		return
	}
	got, want := read[0], x.summaries[summaryOf{product, language, d.Key}]
	if want == nil {
		want = &tallied{sum: new(big.Rat)}
	}
	if wrong := want.differs(got); wrong != "" {
		h.fail("counts", "", "everything is quiet, but %s: %s", c, wrong)
	}
	for greatest, extreme := range map[bool]*big.Rat{false: least, true: most} {
		if extreme == nil {
			continue
		}
		want, _ := extreme.Float64()
		is, ok, err := a.server.store.Lists().Extreme(ctx, of, got, greatest)
		if h.tooSlow(err) {
			return
		}
		if err != nil || !ok || is != want {
			h.fail("counts", "", "everything is quiet, but %s: the extreme is %v, %t, %v, not %v", c, is, ok, err, want)
		}
		h.marks.add("extremes of numbers were compared at the end")
	}
}
