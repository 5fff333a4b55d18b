package counts

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"product-comments/store/comment/item"
	"product-comments/store/comment/stats"
	"product-comments/store/derive/index"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// scopeOf returns the scope of an item of statistics; ok is false for other items.
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

// wrong describes an inconsistency within an item, "" for none.
func (s *Statistics) wrong(scope stats.Scope, read statisticsItem, it table.Item) string {
	if total, err := table.Number(it, attrTotal); err != nil || total != read.Total() {
		return fmt.Sprintf("the total is %d, its counts add up to %d", total, read.Total())
	}
	board, want, wantRank := key.Leaders(scope.Language), "", ""
	fives := read.Tally[4]
	if read.pending && read.place != fives && within(read.placed, s.t.Now(), s.placeAge+overdue) {
		fives = read.place // will be written soon
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

// Diff implements index.Sum: it compares the statistics with the sum of the comments, and the entry
// of the leaderboard by score with the statistics.
func (c *change) Diff(ctx context.Context, now settings.Settings, it *index.SumItem) (differences []string, err error) {
	read, err := parse(c.scope, it.Was)
	if err != nil {
		return nil, err
	}
	differ := func(format string, args ...any) { differences = append(differences, fmt.Sprintf(format, args...)) }
	has := read.atGeneration(now.Generation)
	if wrong := c.s.wrong(c.scope, read, it.Was); it.Was != nil && wrong != "" {
		differ("%s", wrong)
	}
	if sum := c.Delta; !same(has, sum) {
		differ("it counts %v %v of %v bytes and at most %d, the comments are %v %v of %v and %d",
			has.Tally, spell(has.Languages), has.Bytes, has.Largest, sum.Tally, spell(sum.Languages), sum.Bytes, sum.Largest)
		for _, language := range slices.Sorted(maps.Keys(has.Languages)) {
			if d, want := has.Details[language], sum.Details[language]; d != want {
				differ("in %s it counts by kind %v of %v bytes; the comments are %v of %v", language, d.Kinds, d.Bytes, want.Kinds, want.Bytes)
			}
		}
	}
	entry, err := c.s.t.Get(ctx, "an entry of a leaderboard", entryKey(c.scope))
	delete(entry, item.AttrGeneration)
	want := scoreOf(now.Scoring, read.Tally)
	if now.Scored() != nil || read.pending && within(read.placed, c.s.t.Now(), c.s.placeAge+overdue) {
		want = read.score
	}
	switch {
	case err != nil:
	case read.score != want:
		differ("it notes the score %d, which is %d", read.score, want)
	case read.score == 0 && entry != nil:
		differ("an entry in the leaderboard by score does not belong there")
	case read.score > 0 && (entry == nil || !table.Same(entry, entryOf(c.scope, read.score, 0))):
		differ("the entry in the leaderboard by score is missing or outdated")
	}
	return differences, err
}

func spell(counts map[string]int) string {
	parts := make([]string, 0, len(counts))
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, name+":"+strconv.Itoa(counts[name]))
	}
	return "{" + strings.Join(parts, " ") + "}"
}
