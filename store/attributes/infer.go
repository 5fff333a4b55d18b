package attributes

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"product-comments/store/item"
	"product-comments/store/sortable"
)

// What makes texts choices: few different ones, each often.
const (
	inferredOptions = 20 // at most
	timesEach       = 3  // on average, at least
)

// Inference makes definitions of the attributes that comments have. The zero value is
// ready for use.
type Inference struct {
	keys map[string]*observations
}

// observations is what is known of a key.
type observations struct {
	place   int // among the keys, in the order in which they were met
	count   int // values
	numbers int // of them, and so on
	// Texts that may be one number or another, see sortable.Ambiguous, and the first.
	ambiguous int
	doubt     error
	truths    int
	dates     int
	// Dates, and days as they are written with the day or the month first.
	dayFirst, monthFirst int
	values               map[string]int // how often each was met; nil for too many
}

// Add takes the attributes of a comment.
func (f *Inference) Add(raw json.RawMessage) {
	if f.keys == nil {
		f.keys = map[string]*observations{}
	}
	for key, spelled := range members(raw) {
		value := plain(spelled)
		if value == "" || len(value) > MaxText {
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

// add takes a value. A text that is a number counts as one only if it is spelled as
// numbers are, so that 007 stays what it is, and 1.000 is not taken for 1.
func (m *observations) add(value string, bare bool) {
	m.count++
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
	if _, ok := parseDate(value, ""); ok {
		m.dates++
	}
	if _, ok := parseDate(value, dayFirst); ok {
		m.dayFirst++
	}
	if _, ok := parseDate(value, monthFirst); ok {
		m.monthFirst++
	}
}

// inferredLocales are those of definitions whose dates are written so.
var inferredLocales = map[days]string{dayFirst: "en-GB", monthFirst: "en-US"}

// longestDate is more bytes than any date has.
const longestDate = 64

// Definitions returns the definitions of a product or group with those added that it
// neither has nor inherits, of what was met most often if they are too many, and the keys that were left
// out, since they are too many or cannot be keys. doubts are the keys, with the reason, of
// attributes that are not defined as numbers since some of their values may be others.
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
		switch {
		case known[key], inherited.Get(key) != nil:
		case len(all) == MaxDefinitions || ValidateKey("key", key) != nil:
			leftOut = append(leftOut, key)
		default:
			d := f.keys[key].definition(key)
			d.Position += position
			all = append(all, d)
			if m := f.keys[key]; m.ambiguous > 0 && m.ambiguous+m.numbers == m.count {
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
	case m.dayFirst == m.count && m.monthFirst < m.count: // with both, nobody knows what 02/03/2015 is
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

// labelFor spells a key as people write: comfortRating and comfort_rating are Comfort
// rating.
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
