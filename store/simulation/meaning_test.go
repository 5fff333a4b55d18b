package simulation

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"product-comments/store/comment/attributes"
	"product-comments/store/key/sortable"
)

// meaning contains the definitions of a product's attributes, by key.
type meaning map[string]*attributes.Definition

// meaningOf returns what a product's own definitions mean together with its group's.
func meaningOf(own, inherited []attributes.Definition) meaning {
	all := meaning{}
	for _, list := range [][]attributes.Definition{own, inherited} {
		for i := range list {
			if all[list[i].Key] == nil {
				all[list[i].Key] = &list[i]
			}
		}
	}
	return all
}

// alike reports whether an attribute means the same under two definitions, nil being none.
func alike(a, b *attributes.Definition) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Type == b.Type && a.Locale == b.Locale &&
		slices.EqualFunc(a.Options, b.Options, func(x, y attributes.Option) bool { return x.Value == y.Value })
}

// members reads the attributes of a comment.
func members(raw string) map[string]any {
	all := map[string]any{}
	decoder := json.NewDecoder(strings.NewReader(raw))
	decoder.UseNumber()
	_ = decoder.Decode(&all)
	return all
}

// means returns what a value says under a definition, to be compared: a *big.Rat, a
// time.Time, the place of a choice, a bool or a string; nil if it does not convert. It is
// its own few lines, not the store's.
func means(d *attributes.Definition, value any) any {
	spelled := ""
	switch v := value.(type) {
	case string:
		spelled = v
	case json.Number:
		spelled = v.String()
	case bool:
		spelled = fmt.Sprint(v)
	}
	if d == nil || spelled == "" {
		return nil
	}
	switch d.Type {
	case attributes.Number:
		if n, ok := new(big.Rat).SetString(spelled); ok {
			return n
		}
	case attributes.Date:
		for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
			if at, err := time.Parse(layout, spelled); err == nil {
				return at.UTC()
			}
		}
	case attributes.Boolean:
		if spelled == "true" || spelled == "false" {
			return spelled == "true"
		}
	case attributes.Choice:
		if at := slices.IndexFunc(d.Options, func(o attributes.Option) bool { return o.Value == spelled }); at >= 0 {
			return at
		}
	case attributes.Text:
		return spelled
	}
	return nil
}

// says returns what a comment's attributes say under definitions: by key, without those
// that say nothing.
func (s *state) says(m meaning) map[string]any {
	all := map[string]any{}
	for k, value := range members(s.attributes) {
		if v := means(m[k], value); v != nil {
			all[k] = v
		}
	}
	return all
}

// germans orders texts as Germans do. A collator is for one at a time.
var (
	germansLock sync.Mutex
	germans     = collate.New(language.German)
)

// compareValues compares two values of an attribute. Values of different kinds, which
// meet while a definition changes, have an order, but no particular one.
func compareValues(d *attributes.Definition, a, b any) int {
	switch x := a.(type) {
	case *big.Rat:
		if y, ok := b.(*big.Rat); ok {
			return x.Cmp(y)
		}
	case time.Time:
		if y, ok := b.(time.Time); ok {
			return x.Compare(y)
		}
	case int:
		if y, ok := b.(int); ok {
			return cmp.Compare(x, y)
		}
	case bool:
		if y, ok := b.(bool); ok {
			return one(x) - one(y)
		}
	case string:
		if y, ok := b.(string); ok {
			if d != nil && d.Locale != "" {
				germansLock.Lock()
				defer germansLock.Unlock()
				if n := germans.CompareString(x, y); n != 0 {
					return n
				}
			}
			return strings.Compare(x, y)
		}
	}
	return strings.Compare(fmt.Sprintf("%T", a), fmt.Sprintf("%T", b))
}

// readValue returns a value as it stands in a column.
func readValue(v sortable.Value) any {
	switch v.Kind {
	case sortable.KindNumber:
		n, _ := new(big.Rat).SetString(v.Number.String())
		return n
	case sortable.KindDate:
		return v.Date
	case sortable.KindBoolean:
		return v.Boolean
	case sortable.KindChoice:
		return v.Choice
	}
	if v.Cut && strings.HasPrefix(longText, v.Text) { // no other one is so long
		return longText
	}
	return v.Text
}

// longText is longer than a column keeps.
var longText = strings.Repeat("ö", 500) + "k"

// someValues are what is given to attributes, whatever they are defined to be: equal
// ones, negative, huge, not ASCII, and such as do not convert.
var someValues = []any{
	json.Number("-1e100"), json.Number("-3.5"), json.Number("-1"), json.Number("0"), json.Number("1"), json.Number("2"), json.Number("2.50"),
	json.Number("12"), json.Number("12.00000000000000000001"), json.Number("9e120"), "2", "1e2",
	"2026-03-09", "2026-03-09T08:07:06.5Z", "2026-03-09T01:00:00+01:00", "2024-02-29", "0001-01-01",
	true, false, "true", "S", "M", "L", "XL",
	"Äpfel", "Apfel", "apfel", "日本", "ß", "ss", "\U0001F600", "Zug nach \"Ä\\\"", longText,
}

// someKeys are of attributes, and types that they may have.
var someKeys = []struct {
	key   string
	types []attributes.Type
}{
	{"fit", []attributes.Type{attributes.Number, attributes.Number, attributes.Text, attributes.Choice}},
	{"size", []attributes.Type{attributes.Choice, attributes.Choice, attributes.Text}},
	{"worn", []attributes.Type{attributes.Date, attributes.Date, attributes.Text}},
	{"nö/#~", []attributes.Type{attributes.Text, attributes.Text, attributes.Number}},
	{"again", []attributes.Type{attributes.Boolean, attributes.Text}},
	{"age", []attributes.Type{attributes.Number}},
}

// someOptions are choices.
var someOptions = []attributes.Option{{Value: "S"}, {Value: "M"}, {Value: "L"}, {Value: "XL"}, {Value: "2"}}

// defined draws a definition of a key.
func (d *dice) defined(at int) attributes.Definition {
	of := someKeys[at%len(someKeys)]
	def := attributes.Definition{Key: of.key, Type: of.types[d.IntN(len(of.types))], Shown: d.chance(0.5), Position: at}
	if at >= len(someKeys) {
		def.Key = fmt.Sprintf("%s %d", of.key, at)
	}
	switch def.Type {
	case attributes.Choice:
		def.Options = d.options()
	case attributes.Text:
		if d.chance(0.5) {
			def.Locale = "de"
		}
	}
	return def
}

// options draws choices in some order.
func (d *dice) options() []attributes.Option {
	list := slices.Clone(someOptions)
	d.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:2+d.IntN(len(list)-1)]
}
