package attributes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
	"product-comments/store/errs"
)

var shoes = []Definition{
	{Key: "fit", Type: Number, Position: 1, Shown: true, Labels: []Label{{"en", "Fit"}, {"de", "Passform"}}},
	{Key: "worn", Type: Date, Position: 2},
	{Key: "again", Type: Boolean, Position: 3},
	{Key: "size", Type: Choice, Position: 4, Options: []Option{{Value: "S"}, {Value: "M", Labels: []Label{{"de", "mittel"}}}, {Value: "10"}}},
	{Key: "use", Type: Text, Position: 5, Locale: "de"},
	{Key: "code", Type: Text, Position: 6},
}

// spelled lists values as key=value.
func spelled(values []Value) string {
	var out []string
	for _, v := range values {
		out = append(out, v.Key+"="+v.String())
	}
	return strings.Join(out, " ")
}

func TestValuesAreWhatConverts(t *testing.T) {
	d := Effective("1", shoes, "", nil)
	for raw, want := range map[string]string{
		``:   "",
		`{}`: "",
		`{"code":"a b","fit":4.50,"other":1,"again":true,"size":"M","use":"Straße","worn":"2026-03-09"}`: "fit=4.5 worn=2026-03-09 again=true size=M use=Straße code=a b",
		`{"fit":"4","again":"false","size":10,"code":12,"use":true}`:                                     "fit=4 again=false size=10 use=true code=12",
		`{"fit":"tight","again":1,"size":"XL","worn":"9 March","code":null}`:                             "",
		`{"fit":null,"code":"","use":""}`:                                                                "",
		`{"fit":1,"fit":2}`:                                                                              "fit=2",
		`{"fit":1,"fit":null}`:                                                                           "",
		`{"fit":1e126}`:                                                                                  "",
		`{"worn":"2026-03-09T08:07:06.5+02:00"}`:                                                         "worn=2026-03-09T06:07:06.5Z",
		`{"worn":"2026-03-09T8:07:06Z"}`:                                                                 "",
		`{"worn":"2026-03-09T08:07:06,5Z"}`:                                                              "",
		`{"code":"` + strings.Repeat("x", MaxText) + `"}`:                                                "code=" + strings.Repeat("x", MaxText),
		`{"code":"` + strings.Repeat("x", MaxText+1) + `"}`:                                              "",
		`[1]`: "",
		`{"code":"nice \ud83d","fit":4,"size":"M"}`: "fit=4 size=M code=nice \ufffd", // as stored before such values were refused
		`{"\ud83d":1,"fit":4}`:                      "fit=4",
	} {
		testkit.Equal(t, spelled(d.Values(json.RawMessage(raw))), want, "%s has", raw)
	}
	values := Effective("", nil, "", nil).Values(json.RawMessage(`{"fit":1}`))
	testkit.Check(t, values == nil, "without definitions there are %v", values)
}

// A value is spelled so that the same value is read of it, and sorts as itself.
func TestValuesComeBack(t *testing.T) {
	d := Effective("1", shoes, "", nil)
	rapid.Check(t, func(t *rapid.T) {
		given := map[string]any{
			"fit": rapid.Float64Range(-1e30, 1e30).Draw(t, "fit"), "again": rapid.Bool().Draw(t, "again"),
			"size": rapid.SampledFrom([]string{"S", "M", "10", "none"}).Draw(t, "size"), "use": rapid.StringN(0, 50, 200).Draw(t, "use"),
		}
		raw := testkit.Value(json.Marshal(given))(t)
		values := d.Values(raw)
		again := []byte("{")
		for i, v := range values {
			if i > 0 {
				again = append(again, ',')
			}
			again = fmt.Appendf(again, "%q:", v.Key)
			again = v.appendJSON(again)
			same, err := v.Parse("", v.String())
			testkit.Need(t, err == nil && bytes.Equal(same.Sort(), v.Sort()), "%s came back as %s, %v", v, same, err)
		}
		if got := spelled(d.Values(append(again, '}'))); got != spelled(values) {
			t.Fatalf("%s became %s, want %s", again, got, spelled(values))
		}
	})
}

func TestProblemsOfAValueAreReported(t *testing.T) {
	d := Effective("1", shoes, "", nil)
	for _, c := range []struct{ key, value, reason, says string }{
		{"fit", "tight", errs.WrongType, "a number"},
		{"fit", "1e999", errs.OutOfRange, "9.99e125"},
		{"worn", "yesterday", errs.WrongType, "2026-03-09"},
		{"again", "yes", errs.WrongType, "true or false"},
		{"size", "XL", errs.NotAChoice, "S, M, 10"},
		{"use", strings.Repeat("ß", 600), errs.TooLong, "1200 bytes, the limit is 1024"},
	} {
		_, err := d.Get(c.key).Parse("attributes.0.value", c.value)
		var e *errs.Error
		testkit.Check(t, errors.As(err, &e) && e.Field == "attributes.0.value" && e.Reason == c.reason && strings.Contains(e.Message, c.says), "%s of %s: %+v", c.value, c.key, e)
	}
}

func TestLabelsAreInTheLanguageAskedFor(t *testing.T) {
	d := Effective("1", shoes, "", nil)
	for language, want := range map[string]string{"": "Fit", "en": "Fit", "de": "Passform", "de-AT": "Passform", "fr": "Fit"} {
		testkit.Equal(t, d.Get("fit").Label(language), want, "in %q it", language)
	}
	testkit.Equal(t, d.Get("code").Label("en"), "code", "without labels it")
	size := d.Get("size")
	testkit.Check(t, size.Options[0].Label("de") == "S" && size.Options[1].Label("de") == "mittel", "the choices have other labels")
}

// A product has its own definitions, and of its group's those whose keys it has not.
func TestAProductInherits(t *testing.T) {
	own := []Definition{{Key: "fit", Type: Text, Position: 9}}
	d := Effective("1.2.shoes", own, "shoes", shoes)
	testkit.Check(t, d.Get("fit").Type == Text && d.Get("fit").Group == "" && d.Get("size").Group == "shoes" && len(d.List()) == len(shoes) && d.List()[len(shoes)-1].Key == "fit", "%+v", d.List())
	many := make([]Definition, MaxDefinitions)
	for i := range many {
		many[i] = Definition{Key: fmt.Sprint("k", i), Type: Text, Position: i}
	}
	d = Effective("1.2.shoes", own, "shoes", many)
	testkit.Check(t, len(d.List()) == MaxDefinitions && d.Get("fit") != nil && d.Get("k399") == nil && d.Get("k398") != nil, "%d definitions", len(d.List()))
	if d := Effective("4", nil, "", nil); d.Version() != "4" || d.Any() {
		t.Errorf("no definitions have the version %q", d.Version())
	}
}

// What a change does not name does not change spelled, also what would be refused now;
// what cannot be read is never left out of what is written back.
func TestAChangeLosesNothing(t *testing.T) {
	d := Effective("1", shoes, "", nil)
	change := []Input{{Key: "fit", Value: "3"}, {Key: "use", Value: ""}}
	for raw, want := range map[string]string{
		``: `{"fit":3}`,
		`{"code":"nice \ud83d","fit":4,"size":"\u004d","use":"x"}`: `{"code":"nice \ud83d","fit":3,"size":"\u004d"}`,
		`{"x\ud800":1,"x\ud801":2,"use":"x"}`:                      `{"x\ud800":1,"x\ud801":2,"fit":3}`,
		`{"other":1,"other":2}`:                                    `{"other":1,"other":2,"fit":3}`,
		`{"fit":4,"size":"M`:                                       "",
		`{"fit":4,"size"`:                                          "",
		`{"fit":4`:                                                 "",
		`{"fit":4}{"size":"M"}`:                                    "",
		`["fit"]`:                                                  "",
	} {
		got, err := d.Apply("attributes", json.RawMessage(raw), change)
		if want == "" && (err == nil || errs.CodeOf(err) != errs.Internal || string(got) != raw) || want != "" && (err != nil || string(got) != want) {
			t.Errorf("%s becomes %s, %v, want %s", raw, got, err, want)
		}
	}
}

func TestChoicesHaveASensibleOrder(t *testing.T) {
	for _, want := range [][]string{
		{"XS", "s", "M", "XL", "2XL"},
		{"36 EU", "37.5 EU", "38 EU", "100 EU"},
		{"2 weeks", "10 weeks", "always", "never"},
		{"up to 5 kg", "up to 10 kg"},
		{"F", "M", "other"},
		{"1.5 l", "2 l", "10 l"},
	} {
		got, values := slices.Clone(want), map[string]int{}
		random := testkit.Random(t)
		random.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		for _, v := range got {
			values[v]++
		}
		if slices.SortFunc(got, compareOptions(values)); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTypesAreInferredFromValues(t *testing.T) {
	var f Inference
	for i := range 30 {
		f.Add(json.RawMessage(fmt.Sprintf(`{"overallRating":%d.0,"fit":"%d","code":"00%d","again":%t,"gift":"false","visitDate":"2026-03-%02d","size":%q,"comment":"text %d","mixed":%s,"none":null,"two_lines":"a\nb"}`,
			i, i%5, i, i%2 == 0, i%28+1, []string{"M", "L", "S"}[i%3], i, []string{`"a"`, "1"}[i%2])))
	}
	for i := range 30 {
		f.Add(json.RawMessage(fmt.Sprintf(`{"grams":%q,"metres":"0.%d25","price":%q,"exact":1.234}`, []string{"2", "1.234", "2.500"}[i%3], i%9+1, []string{"1,000", "few"}[i%2])))
		f.Add(json.RawMessage(fmt.Sprintf(`{"flown":"%02d-%02d-2015","sold":"%d/%d/2026","unclear":"%d.%d.2026","both":%q,"dates":%q}`,
			i%28+1, i%12+1, i%12+1, i%28+1, i%12+1, i%11+1, []string{"13/1/2026", "1/13/2026"}[i%2], []string{"13.01.2026", "2026-01-02", "2026-01-02T10:00:00Z"}[i%3])))
	}
	f.Add(json.RawMessage(`{"rare":"once","~own":1,"` + strings.Repeat("k", 65) + `":1}`))
	list, leftOut, doubts := f.Definitions([]Definition{{Key: "fit", Type: Text, Position: 4}}, &Definitions{})
	types := map[string]Type{}
	for _, d := range list {
		types[d.Key] = d.Type
	}
	want := map[string]Type{
		"fit": Text, "overallRating": Number, "code": Text, "again": Boolean, "gift": Boolean, "visitDate": Date, "size": Choice, "comment": Text, "mixed": Choice, "two_lines": Text, "rare": Text,
		"flown": Date, "sold": Date, "unclear": Text, "both": Choice, "dates": Date,
		"grams": Choice, "metres": Number, "price": Choice, "exact": Number,
	}
	testkit.Equal(t, fmt.Sprint(types), fmt.Sprint(want), "the types")
	if want := []string{`"grams", of which "1.234" may be 1234 or 1.234: write 1234, or with one more decimal 1.2340`}; !slices.Equal(doubts, want) {
		t.Errorf("not numbers are %q, want %q", doubts, want)
	}
	d := Effective("1", list, "", nil)
	if size := d.Get("size"); size.Options[0].Value != "S" || size.Options[2].Value != "L" || len(size.Options) != 3 || d.Get("overallRating").Label("") != "Overall rating" || d.Get("two_lines").Label("") != "Two lines" {
		t.Errorf("%+v", d.List())
	}
	testkit.Check(t, d.Get("flown").Locale == "en-GB" && d.Get("sold").Locale == "en-US" && d.Get("dates").Locale == "en-GB" && d.Get("visitDate").Locale == "", "%+v", d.List())
	values := d.Values(json.RawMessage(`{"flown":"02-03-2015","sold":"2/3/2026","visitDate":"02-03-2015"}`))
	testkit.Check(t, len(values) == 2 && values[0].String() == "2015-03-02" && values[1].String() == "2026-02-03", "%+v", values)
	first := d.List()[0]
	testkit.Check(t, first.Key == "fit" && d.List()[1].Key == "overallRating", "the first is %+v", first)
	slices.Sort(leftOut)
	testkit.Check(t, slices.Equal(leftOut, []string{`"` + strings.Repeat("k", 40) + `" (its name cannot be an attribute's)`, `"~own" (its name cannot be an attribute's)`}), "left out %q", leftOut)
	_, err := Validate(list)
	testkit.Check(t, err == nil, "they are refused: %v", err)
	// Whoever imports again changes nothing.
	again, _, _ := f.Definitions(list, &Definitions{})
	testkit.Check(t, len(again) == len(list), "again there are %d", len(again))
	for i := range 500 {
		f.Add(json.RawMessage(fmt.Sprintf(`{"more%d":1}`, i)))
	}
	all, leftOut, _ := f.Definitions(nil, &Definitions{})
	testkit.Check(t, len(all) == MaxDefinitions && len(leftOut) == 500+15+4+2+1-MaxDefinitions, "%d definitions, %d left out", len(all), len(leftOut))
}

// Every value fits the definition that was inferred from it and others, or its key is left out.
func TestInferredTypesTakeAllValues(t *testing.T) {
	values := []string{`true`, `false`, `"true"`, `7`, `1e400`, `"7"`, `"007"`, `"1.234"`, `"1,5"`, `"2026-03-09"`, `"13/03/2026"`, `"03/13/2026"`,
		`"2026-03-09T10:00:00+02:00"`, `"S"`, `"a\nb"`, `"\ud83d"`, `null`, `""`, `[1]`, `"` + strings.Repeat("ü", 101) + `"`,
		`"` + strings.Repeat("x", MaxText) + `"`, `"` + strings.Repeat("x", MaxText+1) + `"`, `"` + strings.Repeat("1", 40) + `"`}
	rapid.Check(t, func(t *rapid.T) {
		// Few different values, so that each type comes up.
		some := rapid.SliceOfN(rapid.SampledFrom(values), 1, 4).Draw(t, "values")
		var f Inference
		var comments []json.RawMessage
		for i := range rapid.IntRange(1, 24).Draw(t, "comments") {
			comments = append(comments, json.RawMessage(fmt.Sprintf(`{"a":%s,"n":"text %d"}`, rapid.SampledFrom(some).Draw(t, "value"), i)))
			f.Add(comments[i])
		}
		list, leftOut, _ := f.Definitions(nil, &Definitions{})
		for _, raw := range comments {
			_, ambiguous, err := Effective("1", list, "", nil).Check("attributes", raw)
			testkit.Need(t, err == nil && ambiguous == nil, "%s of %s: %v, %v", raw, some, err, ambiguous)
		}
		long := slices.ContainsFunc(comments, func(raw json.RawMessage) bool { return strings.Count(string(raw), "x") > MaxText+1 }) // one in "text"
		testkit.Need(t, long == (len(leftOut) == 1), "left out %q of %d values", leftOut, len(some))
	})
}
