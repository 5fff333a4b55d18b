package reviews

import (
	"cmp"
	"embed"
	"encoding/json"
	"io/fs"
	"maps"
	"math"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

//go:embed labels/*.json
var labelFiles embed.FS

// Labels are the texts of pages in one language.
type Labels struct {
	Tag       string            `json:"tag"`
	Direction string            `json:"direction"` // ltr or rtl
	Date      string            `json:"date"`      // such as "{day} {month} {year}"
	Months    []string          `json:"months"`
	Texts     map[string]string `json:"texts"`
	// Counts are texts with {n}, by the plural category of n.
	Counts map[string]map[string]string `json:"counts"`
	// Errors are sentences for the reasons and codes of errors. Holds and Rejections, for the values
	// of HoldReason and RejectionCode, are for front ends.
	Errors     map[string]string `json:"errors"`
	Holds      map[string]string `json:"holds"`
	Rejections map[string]string `json:"rejections"`
	// Incentives are for the values of Incentive, except NONE.
	Incentives map[string]string `json:"incentives"`

	json    []byte
	tag     language.Tag
	printer *message.Printer
	names   display.Namer // of languages
}

// Languages are labels in each language, the first of which is the default.
type Languages struct {
	all     []*Labels
	matcher language.Matcher
}

// sections are the labels of sections.
var sections = readLanguages(labelFiles, nil)

// NewLanguages reads labels/*.json of a package. They add to the labels of sections, and replace those
// with the same keys.
func NewLanguages(files fs.FS) *Languages { return readLanguages(files, sections) }

// Incentive returns what a page says of an incentive; empty for NONE.
func (l *Labels) Incentive(name string) string {
	if text, ok := l.Incentives[name]; ok || name == "" || name == "NONE" {
		return text
	}
	return l.Incentives["PAID"] // of a newer server
}

func readLanguages(files fs.FS, base *Languages) *Languages {
	made, tags := &Languages{}, []language.Tag{}
	for i, name := range []string{"en", "de", "fr", "es", "it", "ja", "ar"} {
		text, err := fs.ReadFile(files, path.Join("labels", name+".json"))
		if err != nil {
			panic(err) // the files are embedded
		}
		l := &Labels{tag: language.MustParse(name)}
		if base != nil {
			l = base.all[i].clone()
		}
		l.json = text
		if err := json.Unmarshal(text, l); err != nil {
			panic(err) // a test reads them
		}
		// Dates, scripts and the texts themselves have these digits in all languages, Arabic included.
		l.printer, l.names = message.NewPrinter(language.MustParse(name+"-u-nu-latn")), display.Languages(l.tag)
		made.all, tags = append(made.all, l), append(tags, l.tag)
	}
	made.matcher = language.NewMatcher(tags)
	return made
}

// clone returns labels that can be added to.
func (l *Labels) clone() *Labels {
	c := *l
	for _, texts := range []*map[string]string{&c.Texts, &c.Errors, &c.Holds, &c.Rejections} {
		*texts = maps.Clone(*texts)
	}
	c.Counts = maps.Clone(c.Counts)
	return &c
}

// For returns the best labels for a BCP 47 tag, or for a header Accept-Language; English if no
// language fits.
func (l *Languages) For(tag string) *Labels {
	_, i := language.MatchStrings(l.matcher, tag)
	return l.all[i]
}

// Of returns the labels of the language that the address of a request names, or else its browser.
func (l *Languages) Of(r *http.Request) *Labels {
	return l.For(cmp.Or(r.URL.Query().Get("lang"), r.Header.Get("Accept-Language")))
}

// LabelsFor returns the best labels of sections for a BCP 47 tag; English if no language fits.
func LabelsFor(tag string) *Labels { return sections.For(tag) }

// Text returns a text with the placeholders {name} replaced by values. The arguments are names and
// values in turn.
func (l *Labels) Text(key string, values ...any) string { return l.fill(l.Texts[key], values) }

// Count returns a text for a number.
func (l *Labels) Count(key string, n int) string {
	forms := l.Counts[key]
	text, ok := forms[categories[plural.Cardinal.MatchPlural(l.tag, n, 0, 0, 0, 0)]]
	if !ok {
		text = forms["other"]
	}
	return l.fill(text, []any{"n", n})
}

var categories = map[plural.Form]string{
	plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many", plural.Other: "other",
}

func (l *Labels) fill(text string, values []any) string {
	for i := 0; i+1 < len(values); i += 2 {
		text = strings.ReplaceAll(text, "{"+values[i].(string)+"}", l.spell(values[i+1]))
	}
	return text
}

func (l *Labels) spell(v any) string {
	switch v := v.(type) {
	case int:
		return l.Number(v)
	case float64:
		return l.decimal(tenths(v), number.Scale(1))
	case string:
		return v
	}
	return ""
}

// tenths rounds a mean as people do: 4.25 to 4.3.
func tenths(v float64) float64 { return math.Round(v*10) / 10 }

// Number returns a number in the language's format.
func (l *Labels) Number(n int) string { return l.decimal(n) }

func (l *Labels) decimal(n any, options ...number.Option) string {
	return l.printer.Sprint(number.Decimal(n, options...))
}

// Day returns the day of an instant in UTC, or of a date such as 2026-04-01, in the language's
// format.
func (l *Labels) Day(at string) string {
	t, err := time.Parse(time.DateOnly, at[:min(len(at), len(time.DateOnly))])
	if err != nil {
		return at
	}
	return strings.NewReplacer("{day}", strconv.Itoa(t.Day()), "{month}", l.Months[t.Month()-1],
		"{year}", strconv.Itoa(t.Year())).Replace(l.Date)
}

// Language returns the name of a language.
func (l *Labels) Language(tag string) string {
	t, err := language.Parse(tag)
	if err != nil {
		return tag
	}
	if name := l.names.Name(t); name != "" {
		return name
	}
	return tag
}

// Error returns the sentence for an error.
func (l *Labels) Error(code, reason string) string {
	for _, key := range []string{reason, code, "INTERNAL"} {
		if text, ok := l.Errors[key]; ok {
			return text
		}
	}
	return ""
}
