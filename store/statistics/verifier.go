package statistics

import (
	"context"
	"fmt"
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

// Verifiers compares statistics with the comments, which the index all has, and the entries of
// the leaderboard by score with the statistics.
func (s *Statistics) Verifiers(now settings.Settings, share *index.Share) []index.Verifier {
	return []index.Verifier{index.Recount[stats.Scope, statisticsItem, *stats.Delta]{
		Aggregate: s.items(), About: "product",
		KeyOf: scopeOf, Subject: func(scope stats.Scope) string { return scope.ProductID }, CountedIn: index.Published,
		Count: s.count,
		Sum:   statisticsItem.sum,
		Print: func(scope stats.Scope, sum *stats.Delta) stats.Print { return sum.Print(scope.Language) },
		Bound: func(sum *stats.Delta) int { return sum.Largest },
		Wrong: s.wrong,
		Comments: func(ctx context.Context, product string, each index.EachItem) error {
			return item.Each(ctx, s.t, product, func(comment *item.Stored) error { return each(nil, comment) })
		},
		Partition: key.Product,
		Name:      func(scope stats.Scope) string { return key.StatisticsSK(scope.Language) },
		Diff:      diff,
	}.Verify(now, share), s.verifyEntries(now, share)}
}

// count adds a comment to sums, whatever its generation. It returns an Unavailable error
// if the store does not answer.
func (s *Statistics) count(ctx context.Context, sums map[stats.Scope]*stats.Delta, c *item.Stored) error {
	plain := *c
	if err := plain.UnpackWith(ctx, s.settings); err != nil {
		return err
	}
	one := plain.Counted()
	stats.Deltas(sums).Change(nil, &one, 0)
	return nil
}

// sum returns what an item counts. Comments in languages that it does not list are none of
// any comment: only a recount can compare them.
func (s statisticsItem) sum() *stats.Delta {
	out := &stats.Delta{Tally: s.Tally, Sizes: s.Sizes, Languages: s.Languages, Details: s.Details}
	if s.OtherLanguages != 0 {
		out.Languages = map[string]int{"": s.OtherLanguages}
	}
	return out
}

// scopeOf returns the scope of an item of statistics; ok is false for any other.
func scopeOf(it table.Item) (scope stats.Scope, ok bool) {
	product, ok := key.ProductID(table.Text(it, key.PK))
	if !ok {
		return scope, false
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

// wrong returns what is inconsistent within an item, "" if nothing is.
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
		wantRank = key.Rank{Number: fives, ProductID: scope.ProductID}.SortKey()
	}
	if gotBoard, gotRank := table.Text(it, board.Index.PartitionKey), table.Text(it, board.Index.SortKey); gotBoard != want || gotRank != wantRank {
		return fmt.Sprintf("with %d fives its place in the leaderboard is %q %q", read.Tally[4], gotBoard, gotRank)
	}
	return ""
}

// diff lists in what statistics differ from the comments.
func diff(_ stats.Scope, has statisticsItem, sum *stats.Delta) (differences []string) {
	if sum == nil {
		sum = &stats.Delta{}
	}
	if same(has.Measured, sum) {
		return nil
	}
	differ := func(format string, args ...any) { differences = append(differences, fmt.Sprintf(format, args...)) }
	differ("it counts %v %v of %v bytes and at most %d, the comments are %v %v of %v and %d",
		has.Tally, spell(has.Languages), has.Bytes, has.Largest, sum.Tally, spell(sum.Languages), sum.Bytes, sum.Largest)
	for _, language := range slices.Sorted(maps.Keys(has.Languages)) {
		if d, want := has.Details[language], sum.Details[language]; d != want {
			differ("in %s it counts by kind %v of %v bytes; the comments are %v of %v", language, d.Kinds, d.Bytes, want.Kinds, want.Bytes)
		}
	}
	return differences
}

func spell(counts map[string]int) string {
	parts := make([]string, 0, len(counts))
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, name+":"+strconv.Itoa(counts[name]))
	}
	return "{" + strings.Join(parts, " ") + "}"
}
