package attributes

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"product-comments/store/comment/item"
	"product-comments/store/key/sortable"
)

// Texts with few different values, each of them frequent, become choices.
const (
	inferredOptions = 20 // at most
	timesEach       = 3  // on average, at least
)

// Inference infers definitions from the attributes of comments. The zero value is ready for
// use.
type Inference struct {
	keys map[string]*observations
}

// observations are the counts of one key's values.
type observations struct {
	place   int // the order in which keys were first seen
	count   int // values
	longest int // bytes of a value
	numbers int // values that are numbers; likewise below
	// Texts that are numbers with several meanings, see sortable.Ambiguous, and the first of
	// them.
	ambiguous int
	doubt     error
	truths    int
	dates     int
	// Dates, and days that are valid with the day or with the month first.
	dayFirst, monthFirst int
	values               map[string]int // how often each value occurs; nil if there are too many
}

// Add counts the attributes of a comment.
func (f *Inference) Add(raw json.RawMessage) {
	if f.keys == nil {
		f.keys = map[string]*observations{}
	}
	for key, spelled := range members(raw) {
		value := plain(spelled)
		if value == "" {
			continue
		}
		m := f.keys[key]
		if m == nil {
			m = &observations{place: len(f.keys), values: map[string]int{}}
			f.keys[key] = m
		}
		m.add(value, spelled.Kind() != '"')
	}
}

// add counts a value. A text counts as a number only in the canonical spelling of the number,
// so that 007 stays a text, and 1.000 does not become 1.
func (m *observations) add(value string, bare bool) {
	m.count++
	if m.longest = max(m.longest, len(value)); m.longest > MaxText {
		return // no type takes all values
	}
	n, err := sortable.ParseNumber(value)
	switch {
	case value == "true" || value == "false":
		m.truths++
	case !bare && sortable.Ambiguous(value) != nil:
		m.ambiguous++
		m.doubt = cmp.Or(m.doubt, sortable.Ambiguous(value))
	case err == nil && (bare || n.String() == value):
		m.numbers++
	default:
		m.addDate(value)
	}
	if m.values == nil {
		return
	}
	if m.values[value]++; len(m.values) > inferredOptions {
		m.values = nil
	}
}

func (m *observations) addDate(value string) {
	if len(value) > longestDate {
		return
	}
	if _, _, ok := parseDate(value, ""); ok {
		m.dates++
	}
	if _, _, ok := parseDate(value, dayFirst); ok {
		m.dayFirst++
	}
	if _, _, ok := parseDate(value, monthFirst); ok {
		m.monthFirst++
	}
}

// inferredLocales are the locales of Date definitions by the spelling of days.
var inferredLocales = map[days]string{dayFirst: "en-GB", monthFirst: "en-US"}

// longestDate bounds the length of a date in bytes.
const longestDate = 64

// Definitions returns the definitions of a product or group, with new ones for other keys,
// which every added value fits. If there are too many keys, the most
// frequent ones are defined. leftOut are the keys without a definition, with the reason: no type
// takes all their values, they are not valid keys, or there are too many. doubts are keys, with the
// reason, that are not defined as numbers because some of their values are ambiguous.
func (f *Inference) Definitions(has []Definition, inherited *Definitions) (all []Definition, leftOut, doubts []string) {
	all = slices.Clone(has)
	known, position := map[string]bool{}, 0
	for _, d := range has {
		known[d.Key] = true
		position = max(position, d.Position+1)
	}
	keys := slices.SortedFunc(maps.Keys(f.keys), func(a, b string) int {
		return cmp.Or(cmp.Compare(f.keys[b].count, f.keys[a].count), cmp.Compare(f.keys[a].place, f.keys[b].place))
	})
	for _, key := range keys {
		m, invalid := f.keys[key], ValidateKey("key", key)
		switch {
		case known[key], inherited.Get(key) != nil:
		case m.longest > MaxText:
			leftOut = append(leftOut,
				fmt.Sprintf("%.40q (a value has %d bytes, the limit is %d)", key, m.longest, MaxText))
		case invalid != nil:
			leftOut = append(leftOut, fmt.Sprintf("%.40q (its name cannot be an attribute's)", key))
		case len(all) == MaxDefinitions:
			leftOut = append(leftOut, fmt.Sprintf("%.40q (there are %d others)", key, MaxDefinitions))
		default:
			d := m.definition(key)
			d.Position += position
			all = append(all, d)
			if m.ambiguous > 0 && m.ambiguous+m.numbers == m.count {
				doubts = append(doubts, fmt.Sprintf("%q, of which %v", key, m.doubt))
			}
		}
	}
	return all, leftOut, doubts
}

func (m *observations) definition(key string) Definition {
	d := Definition{Key: key, Position: m.place, Type: Text}
	if label := labelFor(key); item.ValidateLine("label", label, MaxLabel) == nil {
		d.Labels = []Label{{Language: "en", Text: label}}
	}
	switch {
	case m.truths == m.count:
		d.Type = Boolean
	case m.numbers == m.count:
		d.Type = Number
	case m.dates == m.count:
		d.Type = Date
	case m.dayFirst == m.count && m.monthFirst < m.count: // if both orders occur, 02/03/2015 is ambiguous
		d.Type, d.Locale = Date, inferredLocales[dayFirst]
	case m.monthFirst == m.count && m.dayFirst < m.count:
		d.Type, d.Locale = Date, inferredLocales[monthFirst]
	case m.values != nil && m.count >= timesEach*len(m.values):
		for _, value := range slices.SortedFunc(maps.Keys(m.values), compareOptions(m.values)) {
			if item.ValidateLine("value", value, MaxOption) != nil {
				d.Options = nil
				break
			}
			d.Options = append(d.Options, Option{Value: value})
		}
		if d.Options != nil {
			d.Type = Choice
		}
	}
	return d
}

// labelFor returns a label for a key: comfortRating and comfort_rating become Comfort rating.
func labelFor(key string) string {
	var out strings.Builder
	previous := ' '
	for _, r := range key {
		switch {
		case r == '_' || r == '-' || r == '.' || unicode.IsSpace(r):
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(previous):
			out.WriteRune(' ')
			out.WriteRune(unicode.ToLower(r))
			previous = r
			continue
		}
		if r == ' ' && previous == ' ' {
			continue
		}
		if out.Len() == 0 {
			r = unicode.ToUpper(r)
		}
		out.WriteRune(r)
		previous = r
	}
	return strings.TrimSpace(out.String())
}
