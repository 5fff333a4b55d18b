package attributes

import (
	"cmp"
	"strings"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// sizes are the sizes of clothes, in order.
var sizes = func() map[string]int {
	places := map[string]int{}
	for i, names := range []string{"XXXS 3XS", "XXS 2XS", "XS", "S", "M", "L", "XL", "XXL 2XL", "XXXL 3XL", "4XL",
		"5XL", "6XL"} {
		for name := range strings.FieldsSeq(names) {
			places[name] = i
		}
	}
	return places
}()

// compareOptions returns the order of inferred choices: sizes of clothes by size, others as
// texts, with numbers in them by their value.
func compareOptions(values map[string]int) func(a, b string) int {
	for v := range values {
		if _, ok := sizes[strings.ToUpper(v)]; !ok {
			texts := collate.New(language.Und, collate.Numeric)
			return func(a, b string) int { return cmp.Or(texts.CompareString(a, b), cmp.Compare(a, b)) }
		}
	}
	return func(a, b string) int {
		return cmp.Or(cmp.Compare(sizes[strings.ToUpper(a)], sizes[strings.ToUpper(b)]), cmp.Compare(a, b))
	}
}
