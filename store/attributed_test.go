package store_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/index/counts/ranking"
	"product-comments/store/read/plan"
)

// attributed are the definitions of a product's attributes in tests: lists show those
// whose names begin with a capital letter.
func attributed() []attributes.Definition {
	options := []attributes.Option{{Value: "S"}, {Value: "M"}, {Value: "L"}, {Value: "XL"}}
	var list []attributes.Definition
	for i, d := range []attributes.Definition{
		{Key: "Fit", Type: attributes.Number}, {Key: "weight", Type: attributes.Number},
		{Key: "Bought", Type: attributes.Date}, {Key: "seen", Type: attributes.Date},
		{Key: "Size", Type: attributes.Choice, Options: options}, {Key: "colour", Type: attributes.Choice, Options: options},
		{Key: "Again", Type: attributes.Boolean}, {Key: "Note", Type: attributes.Text, Locale: "de"}, {Key: "code", Type: attributes.Text},
	} {
		d.Position, d.Shown = i, d.Key[0] < 'a'
		list = append(list, d)
	}
	return list
}

// randomValues draws values of some of the attributes: equal ones, negative, huge, and
// such that are not ASCII.
func randomValues(r *rand.Rand) json.RawMessage {
	values := map[string]any{}
	draw := map[string]func() any{
		"Fit": func() any { return json.Number(fmt.Sprint(r.IntN(5) - 2)) },
		"weight": func() any {
			return json.Number([]string{"-1e100", "-3.5", "0", "0.001", "12", "12.00000000000000000001", "9e120"}[r.IntN(7)])
		},
		"Bought": func() any { return fmt.Sprintf("20%02d-03-0%dT08:07:06.%dZ", 10+r.IntN(3), 1+r.IntN(3), r.IntN(3)) },
		"seen":   func() any { return fmt.Sprintf("20%02d-03-09", 10+r.IntN(20)) },
		"Size":   func() any { return []string{"S", "M", "L", "XL"}[r.IntN(4)] },
		"colour": func() any { return []string{"S", "M", "L", "XL"}[min(r.IntN(30), 3)] },
		"Again":  func() any { return r.IntN(2) == 0 },
		"Note": func() any {
			return []string{"Äpfel", "Apfel", "apfel", "Zug", "ß", "ss", "日本", "a b", ""}[r.IntN(8)]
		},
		"code": func() any { return []string{"Ä", "Z", "a", "\U0001F600", "zz"}[r.IntN(5)] },
	}
	if r.IntN(5) == 0 {
		return nil
	}
	for _, d := range attributed() {
		if r.IntN(3) > 0 {
			values[d.Key] = draw[d.Key]()
		}
	}
	raw, err := json.Marshal(values)
	if err != nil {
		panic(err)
	}
	return raw
}

// attributedModel is a model whose comments have attributes, and were found helpful.
func attributedModel(r *rand.Rand, product string, n int) model {
	m := randomModel(r, product, n)
	for i := range m {
		m[i].Attributes = randomValues(r)
		if helpful := r.IntN(4); helpful > 0 || r.IntN(2) == 0 {
			m[i].Helpful = &helpful
		}
		m[i].Up, m[i].Down = r.IntN(2), r.IntN(3)
	}
	return m
}

// german compares texts, one pair at a time.
var german = struct {
	sync.Mutex
	*collate.Collator
}{Collator: collate.New(language.German)}

// compareValues compares two values of an attribute as people do.
func compareValues(d *attributes.Definition, a, b any) int {
	switch d.Type {
	case attributes.Number:
		x, _ := new(big.Rat).SetString(fmt.Sprint(a))
		y, _ := new(big.Rat).SetString(fmt.Sprint(b))
		return x.Cmp(y)
	case attributes.Date:
		return dateOf(a).Compare(dateOf(b))
	case attributes.Choice:
		place := func(v any) int {
			return slices.IndexFunc(d.Options, func(o attributes.Option) bool { return o.Value == v })
		}
		return place(a) - place(b)
	case attributes.Boolean:
		return map[any]int{false: 0, true: 1}[a] - map[any]int{false: 0, true: 1}[b]
	}
	if d.Locale != "" {
		german.Lock()
		defer german.Unlock()
		if n := german.CompareString(a.(string), b.(string)); n != 0 {
			return n
		}
	}
	return strings.Compare(a.(string), b.(string))
}

func dateOf(v any) time.Time {
	at, err := time.Parse(time.RFC3339, v.(string))
	if err != nil {
		at, _ = time.Parse(time.DateOnly, v.(string))
	}
	return at
}

// valueOf returns a comment's value of an attribute, nil if it has none.
func valueOf(c *store.Comment, attribute string) any {
	values := map[string]any{}
	decoder := json.NewDecoder(strings.NewReader(string(c.Attributes)))
	decoder.UseNumber()
	_ = decoder.Decode(&values)
	return values[attribute]
}

// ordered returns the comments that pass a filter in its order.
func (m model) ordered(f plan.Filter, defs []attributes.Definition) model {
	of := map[string]*attributes.Definition{}
	for i := range defs {
		of[defs[i].Key] = &defs[i]
	}
	passes := func(c *store.Comment) bool {
		for _, want := range f.Attributes.List() {
			d, v := of[want.Key], valueOf(c, want.Key)
			spelled := func(s string) any {
				switch d.Type {
				case attributes.Number:
					return json.Number(s)
				case attributes.Boolean:
					return s == "true"
				}
				return s
			}
			if v == nil || want.Min != nil && compareValues(d, v, spelled(*want.Min)) < 0 || want.Max != nil && compareValues(d, v, spelled(*want.Max)) > 0 ||
				want.Equals != nil && !slices.ContainsFunc(want.Equals, func(e string) bool { return compareValues(d, v, spelled(e)) == 0 }) {
				return false
			}
		}
		return true
	}
	plain := f
	plain.Order, plain.Attributes = plan.Order{Ascending: f.Order.Ascending}, ""
	out := slices.DeleteFunc(m.filter(plain), func(c store.Comment) bool { return !passes(&c) }) // by time
	direction := 1
	if !f.Order.Ascending {
		direction = -1
	}
	slices.SortStableFunc(out, func(a, b store.Comment) int {
		switch f.Order.Field {
		case plan.ByRating:
			return direction * (a.Rating - b.Rating)
		case plan.ByHelpful:
			return direction * cmp.Compare(ranking.LowerBound(a.HelpfulCount(), a.Down), ranking.LowerBound(b.HelpfulCount(), b.Down))
		case plan.ByAttribute:
			x, y := valueOf(&a, f.Order.Attribute), valueOf(&b, f.Order.Attribute)
			switch {
			case x == nil && y == nil:
				return 0
			case x == nil:
				return 1
			case y == nil:
				return -1
			}
			return direction * compareValues(of[f.Order.Attribute], x, y)
		}
		return 0
	})
	return out
}

// randomAttributes draws some filters by attributes.
func randomAttributes(r *rand.Rand, m model, defs []attributes.Definition) (given []plan.AttributeFilter) {
	for _, i := range r.Perm(len(defs))[:[]int{0, 0, 1, 1, 2, 3}[r.IntN(6)]] {
		d := &defs[i]
		some := func() string {
			for {
				if v := valueOf(&m[r.IntN(len(m))], d.Key); v != nil {
					return fmt.Sprint(v)
				}
			}
		}
		f := plan.AttributeFilter{Key: d.Key}
		if ranged := d.Type == attributes.Number || d.Type == attributes.Date; ranged && r.IntN(3) > 0 {
			a, b := some(), some()
			if d.Type == attributes.Number && compareValues(d, json.Number(a), json.Number(b)) > 0 || d.Type == attributes.Date && dateOf(a).After(dateOf(b)) {
				a, b = b, a
			}
			if f.Min = &a; r.IntN(2) == 0 {
				f.Max = &b
			}
		} else {
			for range 1 + r.IntN(2) {
				f.Equals = append(f.Equals, some())
			}
		}
		given = append(given, f)
	}
	return given
}

// randomOrder draws a list of product 42 in any order, and its filters by attributes.
func randomOrder(t *testing.T, r *rand.Rand, s *store.Store, m model, defs []attributes.Definition) (f plan.Filter, given []plan.AttributeFilter) {
	t.Helper()
	f = randomFilter(r, "42")
	f.Order = plan.Order{Field: plan.Field(r.IntN(4)), Ascending: r.IntN(2) == 0}
	if f.Order.Field == plan.ByAttribute {
		f.Order.Attribute = defs[r.IntN(len(defs))].Key
	}
	if r.IntN(2) == 0 {
		f.Ratings, f.Languages, f.WithText, f.VerifiedOnly = 0, "", false, false
	}
	given = randomAttributes(r, m, defs)
	f.Attributes = testkit.Value(s.Lists().Filters(t.Context(), plan.Filter{ProductID: "42"}, "attributes", given))(t)
	return f, given
}

// storeWithAttributes returns a store that knows at once what was changed, in whose
// table a product has attributes.
func storeWithAttributes(t *testing.T, product string, defs []attributes.Definition) *store.Store {
	t.Helper()
	s := storeWith(t, store.Options{PlaceAge: -1, MetaAge: time.Nanosecond})
	project(t, s)
	define(t, s, product, defs)
	return s
}
