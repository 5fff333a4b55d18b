package reviews

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// list is a selection of a product's comments: filters, an order and a page. It has the valid
// parameters of a URL, each with sorted values, so equal lists have equal queries. A list without
// parameters is the first page of all comments, newest first. No method changes its list.
type list url.Values

// The limits of the API, which a URL cannot exceed.
const (
	mostAttributes = 10
	mostValues     = 20  // of an attribute
	longestValue   = 256 // bytes
)

// limits are the maximum numbers of values by parameter. Parameters of attributes have others.
var limits = map[string]int{
	"language": 10, "rating": 5, "text": 1, "verified": 1, "photos": 1, "unpaid": 1,
	"sort":  1, // a key of orders, or the key of an attribute with .asc or .desc
	"page":  1,
	"after": 1, "comment": 1, // a cursor, for lists without page numbers, and a comment's id
	"family": 1, // the comments of all products of the family
	"lang":   1, // the language of labels
}

// attributeOf returns the key of the attribute that a parameter filters by, empty for none, and the
// field of the filter.
func attributeOf(parameter string) (key, field string) {
	key, _ = strings.CutPrefix(parameter, "a.")
	if key == parameter {
		return "", ""
	}
	for _, bound := range []string{"min", "max"} {
		if key, ok := strings.CutSuffix(key, "."+bound); ok {
			return key, bound
		}
	}
	return key, "equals"
}

// valid reports whether a parameter may have a value.
func valid(parameter, value string) bool {
	n, _ := strconv.Atoi(value)
	switch parameter {
	case "rating":
		return n >= 1 && n <= 5 && len(value) == 1
	case "page":
		return n > 1 && strconv.Itoa(n) == value
	case "text", "verified", "photos", "unpaid", "family":
		return value == "1"
	}
	return value != "" && len(value) <= longestValue && utf8.ValidString(value) && (parameter != "sort" || value != "newest")
}

// parseList parses the query of a URL. It ignores invalid and unknown parameters.
func parseList(q url.Values) list {
	l, attributes := list{}, map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		most := limits[name]
		key, field := attributeOf(name)
		if key != "" && valid("", name) && (attributes[key] || len(attributes) < mostAttributes) {
			if attributes[key], most = true, 1; field == "equals" {
				most = mostValues
			}
		}
		for _, v := range q[name] {
			if len(l[name]) < most && valid(name, v) && !l.has(name, v) {
				l[name] = append(l[name], v)
			}
		}
		slices.Sort(l[name])
	}
	if len(l["rating"]) == 5 {
		delete(l, "rating")
	}
	return l
}

// query returns the URL query that selects the list.
func (l list) query() string { return "?" + url.Values(l).Encode() }

// get returns the value of a parameter that has at most one; empty for none.
func (l list) get(parameter string) string { return url.Values(l).Get(parameter) }

// has reports whether a parameter has a value.
func (l list) has(parameter, value string) bool { return slices.Contains(l[parameter], value) }

// without returns the list without some parameters.
func (l list) without(parameters ...string) list {
	l = maps.Clone(l)
	for _, name := range parameters {
		delete(l, name)
	}
	return l
}

// with returns the list from its first page, with the only value of a parameter.
func (l list) with(parameter, value string) list {
	l = l.start()
	l[parameter] = []string{value}
	return l
}

// toggled returns the list from its first page, with the value of a parameter added, or removed if
// the list has it.
func (l list) toggled(parameter, value string) list {
	values := slices.DeleteFunc(slices.Clone(l[parameter]), func(v string) bool { return v == value })
	if len(values) == len(l[parameter]) {
		values = append(values, value)
	}
	slices.Sort(values)
	if l = l.start().without(parameter); len(values) > 0 {
		l[parameter] = values
	}
	return l
}

// numbered returns a page of the list.
func (l list) numbered(page int) list {
	if page <= 1 {
		return l.start()
	}
	return l.with("page", strconv.Itoa(page))
}

// start returns the same list from its first page.
func (l list) start() list { return l.without("page", "after", "comment") }

// all returns the first page of all comments.
func (l list) all() list { return parseList(url.Values{"lang": l["lang"], "family": l["family"]}) }

// filtered reports whether the list has a filter.
func (l list) filtered() bool { return len(l.start().without("sort", "family", "lang")) > 0 }

// ofFamily reports whether the list has the comments of all products of the family.
func (l list) ofFamily() bool { return l.get("family") != "" }

// plain reports whether the list is a numbered page of all comments of the product, newest first.
func (l list) plain() bool { return len(l.without("page", "lang")) == 0 }

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
	if o, ok := orders[l.get("sort")]; ok {
		return &o
	}
	for suffix, direction := range map[string]string{".asc": "ASC", ".desc": "DESC"} {
		if key, ok := strings.CutSuffix(l.get("sort"), suffix); ok && key != "" {
			return &order{"ATTRIBUTE", key, direction}
		}
	}
	return nil
}

// variables are the variables of the operation ReviewsSection.
func (l list) variables(product, ui string) map[string]any {
	v, filter, conditions := map[string]any{"product": product, "lang": ui}, map[string]any{}, map[string]map[string]any{}
	for name, values := range l {
		switch key, field := attributeOf(name); {
		case key != "":
			if conditions[key] == nil {
				conditions[key] = map[string]any{"key": key}
			}
			if conditions[key][field] = values[0]; field == "equals" {
				conditions[key][field] = values
			}
		case name == "family":
			v["family"] = true
		case name == "language" && len(values) == 1:
			v["language"] = values[0]
		case name == "language":
			filter["languages"] = values
		case name == "rating":
			v["ratings"] = numbers(values)
		case name == "text":
			filter["withText"] = true
		case name == "verified":
			filter["verifiedOnly"] = true
		case name == "photos":
			filter["withPhotos"] = true
		case name == "unpaid":
			filter["incentivized"] = false
		}
	}
	if len(conditions) > 0 {
		filter["attributes"] = slices.SortedFunc(maps.Values(conditions), func(a, b map[string]any) int {
			return strings.Compare(a["key"].(string), b["key"].(string))
		})
	}
	if len(filter) > 0 {
		v["filter"] = filter
	}
	if o := l.order(); o != nil {
		v["order"] = o
	}
	switch {
	case l.get("after") != "":
		v["after"] = l.get("after")
	case l.get("comment") != "":
		v["around"] = l.get("comment")
	case l.get("page") != "":
		v["page"] = numbers(l["page"])[0]
	}
	return v
}

// numbers returns numbers for JSON.
func numbers(values []string) (list []json.Number) {
	for _, v := range values {
		list = append(list, json.Number(v))
	}
	return list
}
