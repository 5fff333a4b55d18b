package staff

import (
	"encoding/json"
	"slices"
	"testing"

	"product-comments/internal/testing/testkit"
)

// Each language says everything.
func TestLabelsAreComplete(t *testing.T) {
	keys := func(name string) (all []string) {
		var of map[string]map[string]any
		testkit.Must(t, json.Unmarshal(testkit.Value(labelFiles.ReadFile("labels/"+name+".json"))(t), &of))
		for part, texts := range of {
			for key, text := range texts {
				testkit.Check(t, text != "", "%s: %s.%s is empty", name, part, key)
				all = append(all, part+"."+key)
			}
		}
		slices.Sort(all)
		return all
	}
	for _, name := range []string{"de", "fr", "es", "it", "ja", "ar"} {
		testkit.Check(t, slices.Equal(keys(name), keys("en")), "the keys of %s are %s, not %s", name, keys(name), keys("en"))
	}
}
