package attributes

import (
	"slices"
	"testing"

	"product-comments/internal/testkit"
)

func TestChoicesHaveASensibleOrder(t *testing.T) {
	for _, want := range [][]string{
		{"XS", "s", "M", "XL", "2XL"},
		{"36 EU", "37.5 EU", "38 EU", "100 EU"},
		{"2 weeks", "10 weeks", "always", "never"},
		{"up to 5 kg", "up to 10 kg"},
		{"F", "M", "other"},
		{"1", "1.0", "01x", "1.25 l", "1.5 l"},
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
