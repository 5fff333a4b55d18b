package statistics

import (
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strconv"
	"strings"

	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/stats"
	"product-comments/store/table"
)

// verifier is what a scan finds of statistics.
type verifier struct {
	of         *Statistics
	generation int
	share      *index.Share
	*index.Held[scopes]
}

// scopes are those of a product whose items may not agree with the comments, by language.
type scopes map[string]compared

// Bytes implements index.Holding.
func (s scopes) Bytes() int {
	const scope = 200
	return scope * len(s)
}

// compared is what is held of a scope.
type compared struct {
	print         uint64 // of its comments, less that of its item: zero if they agree
	largest, room int    // the size of the largest comment, and of the largest by the item
	wrong         bool   // the item is wrong by itself, or only a comparison can tell
}

// printOfAll returns the print of what is counted in a scope: a sum of counts, each times
// a number of its own. Those of two sums of comments add up to that of all, and different
// counts hardly ever have the same.
func printOfAll(counts, bytes stats.Tally, languages map[string]int, details map[string]stats.Detail) uint64 {
	p := printOf("", 0, counts) + printOf("", 1, bytes)
	for language, n := range languages {
		p += printOf(language, 0, stats.Tally{n})
	}
	for language, d := range details {
		p += printOf(language, 1, d.Tally) + printOf(language, 2, d.Texts) + printOf(language, 3, d.Bytes)
		p += printOf(language, 4, d.Verified) + printOf(language, 5, d.VerifiedTexts)
	}
	return p
}

var printSeed = maphash.MakeSeed()

func printOf(language string, what byte, counts stats.Tally) (print uint64) {
	for i, n := range counts {
		if n != 0 {
			print += uint64(n) * maphash.String(printSeed, string([]byte{what, byte(i)})+language)
		}
	}
	return print
}

// Verifiers begins a comparison with the comments.
func (s *Statistics) Verifiers(now settings.Settings, share *index.Share) []index.Verifier {
	return []index.Verifier{&verifier{s, now.Generation, share, index.NewHeld[scopes](share)}}
}

// About implements index.Verifier.
func (v *verifier) About() string { return "product" }

// Count reports nothing: there are as many statistics as products and languages.
func (v *verifier) Count() (string, int64) { return "", 0 }

// counted is a comment as a verifier counts it: whatever its generation. It returns
// an Unavailable error if the store does not answer.
func (s *Statistics) counted(ctx context.Context, c *item.Stored) (*stats.Counted, error) {
	plain := *c
	if err := plain.UnpackWith(ctx, s.settings); err != nil {
		return nil, err
	}
	out := plain.Counted()
	out.Generation = 0
	return &out, nil
}

// Observe adds up comments and keeps statistics.
func (v *verifier) Observe(ctx context.Context, it table.Item, comment *item.Stored) error {
	if comment = comment.OrHidden(); comment != nil {
		if !v.share.Has(comment.ProductID) {
			return nil
		}
		one, err := v.of.counted(ctx, comment)
		if err != nil {
			return err
		}
		sums := stats.Deltas{}
		sums.Change(nil, one, 0)
		for scope, sum := range sums {
			v.change(scope, func(s *compared) {
				s.print += printOfAll(sum.Tally, sum.Bytes, sum.Languages, sum.Details)
				s.largest = max(s.largest, sum.Largest)
			})
		}
		return nil
	}
	scope, ok := scopeOf(it)
	if !ok || !v.share.Has(scope.ProductID) {
		return nil
	}
	read, err := parse(scope, it)
	if err != nil {
		return err
	}
	wrong := v.of.wrong(scope, read, it) != "" || read.Generation < v.generation || read.OtherLanguages != 0
	has := read.as(v.generation)
	v.change(scope, func(s *compared) {
		s.print -= printOfAll(has.Tally, has.Bytes, has.Languages, has.Details)
		s.room, s.wrong = has.Largest, wrong
	})
	return nil
}

// change changes what is held of a scope.
func (v *verifier) change(scope stats.Scope, change func(*compared)) {
	v.Change(scope.ProductID, func(of *scopes) {
		if *of == nil {
			*of = scopes{}
		}
		s := (*of)[scope.Language]
		if change(&s); s.differs() {
			(*of)[strings.Clone(scope.Language)] = s
		} else {
			delete(*of, scope.Language)
		}
	})
}

// differs reports whether the item may not agree with the comments.
func (s compared) differs() bool {
	return s.wrong || s.print != 0 || s.largest > s.room
}

func scopeOf(it table.Item) (stats.Scope, bool) {
	product, ok := key.ProductID(table.Text(it, key.PK))
	if !ok {
		return stats.Scope{}, false
	}
	language, ok := key.ParseStatisticsSK(table.Text(it, key.SK))
	return stats.Scope{ProductID: product, Language: language}, ok
}

func same(s stats.Measured, counted *stats.Delta) bool {
	if s.Tally != counted.Tally || s.Bytes != counted.Bytes || s.Largest < counted.Largest {
		return false
	}
	others := s.OtherLanguages
	for language, n := range counted.Languages {
		if listed, ok := s.Languages[language]; ok && listed != n {
			return false
		} else if !ok {
			others -= n
		}
	}
	for language := range s.Languages {
		if counted.Languages[language] == 0 || counted.Details[language] != s.Details[language] {
			return false
		}
	}
	return others == 0
}

// wrong tells what is inconsistent within an item, "" if nothing is.
func (s *Statistics) wrong(scope stats.Scope, read statisticsItem, it table.Item) string {
	if total, err := table.Number(it, attrTotal); err != nil || total != read.Total() {
		return fmt.Sprintf("the total is %d, its counts add up to %d", total, read.Total())
	}
	board, want, wantRank := key.Leaders(scope.Language), "", ""
	fives := read.Tally[4]
	if read.pending && read.place != fives && within(read.placed, s.t.Now(), s.placeAge+overdue) {
		fives = read.place // to be written soon
	}
	if fives > 0 {
		want = board.Value
	}
	if fives > 0 || read.pending {
		wantRank = key.Rank{FiveStars: fives, ProductID: scope.ProductID}.SortKey()
	}
	if gotBoard, gotRank := table.Text(it, board.Index.PartitionKey), table.Text(it, board.Index.SortKey); gotBoard != want || gotRank != wantRank {
		return fmt.Sprintf("with %d fives its place in the leaderboard is %q %q", read.Tally[4], gotBoard, gotRank)
	}
	return ""
}

// Diff compares one product with its comments in the index all.
func (v *verifier) Diff(ctx context.Context, now settings.Settings, product string) (differences []string, err error) {
	differ := func(format string, args ...any) { differences = append(differences, fmt.Sprintf(format, args...)) }
	sums := stats.Deltas{}
	err = item.Each(ctx, v.of.t, product, func(comment *item.Stored) error {
		one, err := v.of.counted(ctx, comment)
		if err == nil {
			sums.Change(nil, one, 0)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	err = v.of.t.Each(ctx, key.Partition{Index: key.Table, Value: key.Product(product)}, func(it table.Item) error {
		scope, ok := scopeOf(it)
		if !ok {
			return nil
		}
		read, err := parse(scope, it)
		if err != nil {
			return err
		}
		sk := key.StatisticsSK(scope.Language)
		if wrong := v.of.wrong(scope, read, it); wrong != "" {
			differ("%s: %s", sk, wrong)
		}
		if read.Generation < now.Generation {
			differ("%s: it is left over from before the last rebuild", sk)
		}
		sum := sums[scope]
		if sum == nil {
			sum = &stats.Delta{}
		}
		if have := read.as(now.Generation); !same(have, sum) {
			differ("%s: it counts %v %v of %v bytes and at most %d, the comments are %v %v of %v and %d", sk,
				have.Tally, spell(have.Languages), have.Bytes, have.Largest, sum.Tally, spell(sum.Languages), sum.Bytes, sum.Largest)
			for _, language := range slices.Sorted(maps.Keys(have.Languages)) {
				if d, want := have.Details[language], sum.Details[language]; d != want {
					differ("%s: in %s it counts %v, %v with a text, %v by buyers, %v both, of %v bytes; the comments are %v, %v, %v, %v of %v", sk,
						language, d.Tally, d.Texts, d.Verified, d.VerifiedTexts, d.Bytes, want.Tally, want.Texts, want.Verified, want.VerifiedTexts, want.Bytes)
				}
			}
		}
		delete(sums, scope)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, scope := range sums.Scopes() {
		differ("%s: it is missing, the comments are %v", key.StatisticsSK(scope.Language), sums[scope].Tally)
	}
	return differences, nil
}

func spell(counts map[string]int) string {
	parts := make([]string, 0, len(counts))
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, name+":"+strconv.Itoa(counts[name]))
	}
	return "{" + strings.Join(parts, " ") + "}"
}
