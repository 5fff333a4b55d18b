package attributes

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/testkit"
)

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
	list, leftOut, doubts := f.Definitions([]Definition{{Key: "fit", Type: Text, Position: 4}}, none)
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
	testkit.Check(t, len(values) == 2 && values[0].String() == "2015-03-02T00:00:00Z" && values[1].String() == "2026-02-03T00:00:00Z", "%+v", values)
	first := d.List()[0]
	testkit.Check(t, first.Key == "fit" && d.List()[1].Key == "overallRating", "the first is %+v", first)
	slices.Sort(leftOut)
	testkit.Check(t, slices.Equal(leftOut, []string{strings.Repeat("k", 65), "~own"}), "left out %q", leftOut)
	_, err := validate(list)
	testkit.Check(t, err == nil, "they are refused: %v", err)
	// Whoever imports again changes nothing.
	again, _, _ := f.Definitions(list, none)
	testkit.Check(t, len(again) == len(list), "again there are %d", len(again))
	for i := range 500 {
		f.Add(json.RawMessage(fmt.Sprintf(`{"more%d":1}`, i)))
	}
	all, leftOut, _ := f.Definitions(nil, none)
	testkit.Check(t, len(all) == MaxDefinitions && len(leftOut) == 500+15+4+2+1-MaxDefinitions, "%d definitions, %d left out", len(all), len(leftOut))
}
