//go:build linux

package siege

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testkit"
)

// define gives product choices as many attributes as it may have, each with as many
// choices.
func (s *server) define(t *testing.T) {
	t.Helper()
	choices := strings.Repeat(`,{"value":"%d"}`, 200)[1:]
	numbers := make([]any, 200)
	for i := range numbers {
		numbers[i] = i
	}
	choices = fmt.Sprintf(choices, numbers...)
	definitions := make([]string, 400)
	for i := range definitions {
		definitions[i] = fmt.Sprintf(`{"key":"a%d","type":"CHOICE","choices":[%s]}`, i, choices)
	}
	file := filepath.Join(t.TempDir(), "definitions")
	line := `{"productId":"choices","definitions":[` + strings.Join(definitions, ",") + `]}`
	testkit.Must(t, os.WriteFile(file, []byte(line), 0o600))
	testkit.Value(s.command(nil, "import", "--definitions="+file))(t)
	for deadline := time.Now().Add(20 * time.Second); ; {
		a, err := s.send(query(`{product(id:"choices"){attributes{key}}}`), 5*time.Second)
		if err == nil && strings.Contains(string(a.start), `"key"`) {
			return
		}
		testkit.Need(t, !time.Now().After(deadline), "the attributes are not defined: %v %s", err, a.start)
		time.Sleep(20 * time.Millisecond) // polls another process
	}
}

// Lists that no argument bounds are charged for as they are: a product of many
// languages a hundred times, many attributes of many choices, and an error in each.
func TestLongListsAreBounded(t *testing.T) {
	s := attacked(t)
	s.define(t)
	evil := func(products int, selected string) request {
		return query(`{products(ids:["evil"` + strings.Repeat(`,"evil"`, products-1) + `]){` + selected + `}}`)
	}
	refused := refusedWith("BAD_USER_INPUT")
	attacks := []attack{
		{"ratings of languages under many names", evil(100, `stats{languageCounts{ratingCounts{`+repeated("count", 90)+`}}}`), refused},
		{"ratings of languages", evil(100, `stats{languageCounts{ratingCounts{count}}}`), refused},
		{"as many as are answered", evil(15, `stats{languageCounts{ratingCounts{count}}}`), nil},
		{"facets", evil(100, `comments(first:0){facets{languages{ratingCounts{count}}}}`), refused},
		{"names of types", evil(100, `stats{languageCounts{`+repeated("__typename", 7)+`}}`), refused},
		{"choices", query(`{product(id:"choices"){attributes{` + repeated("choices{value}", 7) + `}}}`), refused},
		{"an error in each", query(`{product(id:"choices"){attributes{` + repeated(`choices{label(language:"!")}`, 7) + `}}}`), refused},
	}
	for _, a := range attacks {
		s.withstandsOne(t, a)
	}
	if t.Failed() { // each is as costly again
		return
	}
	s.forgetPeak(t)
	var answers []answer
	told := newNeighbour(s).during(func() {
		answers = s.crowd(8, 5, 20*time.Second, func(client, _ int) request { return attacks[client%len(attacks)].request })
	})
	t.Logf("eight at once: %d answers, the longest after %v; %d MB; a visitor waited %v, at the most %v", len(answers),
		slices.MaxFunc(answers, func(a, b answer) int { return int(a.took - b.took) }).took.Round(time.Millisecond), s.peak(t)>>20,
		told.median().Round(time.Millisecond), told.at(1).Round(time.Millisecond))
	testkit.Check(t, len(answers) == 8*5, "%d requests of %d were answered", len(answers), 8*5)
	peak := s.peak(t)
	testkit.Check(t, peak <= memory, "eight at once took %d MB, --memory is %d MB", peak>>20, memory>>20)
	if told.failed != nil || told.at(1) > 2*time.Second {
		t.Errorf("a visitor waited %v: %v", told.at(1), told.failed)
	}
}
