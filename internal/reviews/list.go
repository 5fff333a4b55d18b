package reviews

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// list is a selection of a product's comments by a URL: filters, an order and a page. The zero
// value is the first page without filters, newest first.
type list struct {
	languages  []string
	ratings    []int
	text       bool
	verified   bool
	attributes map[string]condition
	sort       string // a key of orders, or the key of an attribute with .asc or .desc
	page       int    // 0 for the first
	after      string // a cursor, for lists without page numbers
	around     string // a comment id
	ui         string // the language of labels
}

// condition is a filter by an attribute.
type condition struct {
	values   []string
	min, max string
}

// The limits of the API, which a URL cannot exceed.
const (
	mostLanguages  = 10
	mostAttributes = 10
	mostValues     = 20
	longestValue   = 256 // bytes
)

// parseList parses the query of a URL. It ignores invalid and unknown parameters.
func parseList(q url.Values) (l list) {
	usable := func(s string) bool { return s != "" && len(s) <= longestValue && utf8.ValidString(s) }
	for _, tag := range q["language"] {
		if usable(tag) && len(l.languages) < mostLanguages && !slices.Contains(l.languages, tag) {
			l.languages = append(l.languages, tag)
		}
	}
	for _, s := range q["rating"] {
		if n, err := strconv.Atoi(s); err == nil && n >= 1 && n <= 5 && !slices.Contains(l.ratings, n) {
			l.ratings = append(l.ratings, n)
		}
	}
	if slices.Sort(l.ratings); len(l.ratings) == 5 {
		l.ratings = nil
	}
	l.text, l.verified = q.Get("text") == "1", q.Get("verified") == "1"
	for name, values := range q {
		name, ok := strings.CutPrefix(name, "a.")
		if !ok || !usable(name) {
			continue
		}
		key, bound := name, ""
		for _, suffix := range []string{".min", ".max"} {
			if k, ok := strings.CutSuffix(name, suffix); ok {
				key, bound = k, suffix
			}
		}
		c, known := l.attributes[key]
		if !known && len(l.attributes) == mostAttributes {
			continue
		}
		for _, v := range values[:min(len(values), mostValues)] {
			switch {
			case !usable(v):
			case bound == ".min":
				c.min = v
			case bound == ".max":
				c.max = v
			case !slices.Contains(c.values, v):
				c.values = append(c.values, v)
			}
		}
		if len(c.values) > 0 || c.min != "" || c.max != "" {
			if l.attributes == nil {
				l.attributes = map[string]condition{}
			}
			l.attributes[key] = c
		}
	}
	if s := q.Get("sort"); usable(s) && s != "newest" {
		l.sort = s
	}
	if n, err := strconv.Atoi(q.Get("page")); err == nil && n > 1 {
		l.page = n
	}
	if s := q.Get("after"); usable(s) {
		l.after = s
	}
	if s := q.Get("comment"); usable(s) {
		l.around = s
	}
	l.ui = q.Get("lang")
	return l
}

// query returns the URL query that selects the list. Equal lists have equal queries.
func (l list) query() string {
	q := url.Values{}
	for _, tag := range l.languages {
		q.Add("language", tag)
	}
	for _, n := range l.ratings {
		q.Add("rating", strconv.Itoa(n))
	}
	set := func(name, value string, ok bool) {
		if ok {
			q.Set(name, value)
		}
	}
	set("text", "1", l.text)
	set("verified", "1", l.verified)
	for key, c := range l.attributes {
		for _, v := range slices.Sorted(slices.Values(c.values)) {
			q.Add("a."+key, v)
		}
		set("a."+key+".min", c.min, c.min != "")
		set("a."+key+".max", c.max, c.max != "")
	}
	set("sort", l.sort, l.sort != "")
	set("page", strconv.Itoa(l.page), l.page > 1)
	set("after", l.after, l.after != "")
	set("comment", l.around, l.around != "")
	set("lang", l.ui, l.ui != "")
	return "?" + q.Encode()
}

// start returns the same list from its first page.
func (l list) start() list {
	l.page, l.after, l.around = 0, "", ""
	return l
}

// all returns the first page of all comments.
func (l list) all() list { return list{ui: l.ui} }

// filtered reports whether the list has a filter.
func (l list) filtered() bool {
	return len(l.languages)+len(l.ratings)+len(l.attributes) > 0 || l.text || l.verified
}

// plain reports whether the list is a numbered page of all comments, newest first.
func (l list) plain() bool { return !l.filtered() && l.sort == "" && l.after == "" && l.around == "" }

// toggled returns the set with a value added, or removed if the set contains it.
func toggled[T comparable](set []T, value T) []T {
	if i := slices.Index(set, value); i >= 0 {
		return slices.Delete(slices.Clone(set), i, i+1)
	}
	return append(slices.Clone(set), value)
}

func (l list) withLanguage(tag string) list {
	l = l.start()
	l.languages = toggled(l.languages, tag)
	return l
}

func (l list) withRating(n int) list {
	l = l.start()
	l.ratings = toggled(l.ratings, n)
	slices.Sort(l.ratings)
	return l
}

func (l list) withValue(key, value string) list {
	l = l.start()
	l.attributes = maps.Clone(l.attributes)
	if l.attributes == nil {
		l.attributes = map[string]condition{}
	}
	c := l.attributes[key]
	if c.values = toggled(c.values, value); len(c.values) == 0 && c.min == "" && c.max == "" {
		delete(l.attributes, key)
	} else {
		l.attributes[key] = c
	}
	return l
}

func (l list) withSort(s string) list {
	l = l.start()
	l.sort = s
	return l
}

func (l list) withPage(n int) list {
	l = l.start()
	l.page = n
	return l
}

// order is an order of the API.
type order struct {
	Field     string `json:"field"`
	Attribute string `json:"attribute,omitempty"`
	Direction string `json:"direction"`
}

// orders are the orders of every product, by their names in URLs.
var orders = map[string]order{
	"oldest":  {Field: "CREATED_AT", Direction: "ASC"},
	"helpful": {Field: "HELPFUL", Direction: "DESC"},
	"best":    {Field: "RATING", Direction: "DESC"},
	"worst":   {Field: "RATING", Direction: "ASC"},
}

// order returns the list's order, nil for newest first.
func (l list) order() *order {
	if o, ok := orders[l.sort]; ok {
		return &o
	}
	for suffix, direction := range map[string]string{".asc": "ASC", ".desc": "DESC"} {
		if key, ok := strings.CutSuffix(l.sort, suffix); ok && key != "" {
			return &order{"ATTRIBUTE", key, direction}
		}
	}
	return nil
}

// variables are the variables of the operation ReviewsSection.
func (l list) variables(product, ui string) map[string]any {
	v := map[string]any{"product": product, "lang": ui}
	filter := map[string]any{}
	switch len(l.languages) {
	case 0:
	case 1:
		v["language"] = l.languages[0]
	default:
		filter["languages"] = l.languages
	}
	if len(l.ratings) > 0 {
		v["ratings"] = l.ratings
	}
	if l.text {
		filter["withText"] = true
	}
	if l.verified {
		filter["verifiedOnly"] = true
	}
	var conditions []map[string]any
	for _, key := range slices.Sorted(maps.Keys(l.attributes)) {
		c, one := l.attributes[key], map[string]any{"key": key}
		if len(c.values) > 0 {
			one["equals"] = c.values
		}
		if c.min != "" {
			one["min"] = c.min
		}
		if c.max != "" {
			one["max"] = c.max
		}
		conditions = append(conditions, one)
	}
	if len(conditions) > 0 {
		filter["attributes"] = conditions
	}
	if len(filter) > 0 {
		v["filter"] = filter
	}
	if o := l.order(); o != nil {
		v["order"] = o
	}
	switch {
	case l.after != "":
		v["after"] = l.after
	case l.around != "":
		v["around"] = l.around
	case l.page > 1:
		v["page"] = l.page
	}
	return v
}
