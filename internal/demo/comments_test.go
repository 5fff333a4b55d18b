package demo

import (
	"maps"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/item"
)

// The time of the demo is in the past, so that no comment is of tomorrow.
var (
	firstDay = time.Date(2023, time.October, 2, 0, 0, 0, 0, time.UTC)
	tomorrow = time.Date(2026, time.July, 1, 0, 0, 0, 0, time.UTC)
)

func TestDistribution(t *testing.T) {
	byProduct, byLanguage, byRating, byDay, byTime := map[string]int{}, map[string]int{}, map[int]int{}, map[time.Time]int{}, map[time.Time]int{}
	var n, texts, characters, longest, inItem, authors, run, longestRun int
	var last store.Comment
	ids := map[string]bool{}
	for _, c := range Comments() {
		testkit.Check(t, !ids[c.ID], "%s is there twice", c.ID)
		ids[c.ID] = true
		n++
		byProduct[c.ProductID]++
		byLanguage[c.Language]++
		byRating[c.Rating]++
		testkit.Check(t, c.ProductID != last.ProductID || !c.CreatedAt.After(last.CreatedAt), "%s is newer than the one before it", c.ID)
		last = c
		testkit.Check(t, !c.CreatedAt.Before(firstDay) && c.CreatedAt.Before(tomorrow), "%s is of %s", c.ID, c.CreatedAt)
		if c.ProductID == bestseller {
			byDay[c.CreatedAt.Truncate(24*time.Hour)]++
			byTime[c.CreatedAt]++
			if run++; c.Rating == 1 {
				run = 0
			}
			longestRun = max(longestRun, run)
		}
		if c.Author != "" {
			authors++
		}
		if c.Text != "" {
			texts++
			characters += utf8.RuneCountInString(c.Text)
			longest = max(longest, utf8.RuneCountInString(c.Text))
		}
		if len(c.Text) > item.InlineText {
			inItem++
		}
	}
	have := slices.Sorted(maps.Keys(byProduct))
	testkit.Check(t, slices.Equal(have, slices.Sorted(slices.Values(products))), "the comments are about %v, not about %v", have, products)
	between := func(what string, got, least, most int) {
		t.Helper()
		testkit.Check(t, got >= least && got <= most, "%s: %d, want %d to %d", what, got, least, most)
	}
	between("comments", n, 8900, 9100)
	between("comments of 42", byProduct["42"], 6000, 6000)
	between("comments of 1", byProduct["1"], 1, 1)
	between("products", len(byProduct), 30, 40)
	for rating, percent := range []int{1: 9, 2: 6, 3: 10, 4: 20, 5: 55} {
		if rating > 0 {
			between("per cent of a rating", 100*byRating[rating]/n, percent-1, percent+1)
		}
	}
	for language, percent := range map[string]int{"en": 46, "de": 19, "fr": 11, "es": 10, "pt-BR": 8, "ja": 6} {
		between("per cent in "+language, 100*byLanguage[language]/n, percent-2, percent+2)
	}
	between("average characters of a text", characters/texts, 300, 450)
	between("characters of the longest text", longest, 6500, 8000)
	between("texts that indexes do not carry", inItem, 3, 30)
	between("per cent with a text", 100*texts/n, 90, 95)
	between("per cent with an author", 100*authors/n, 70, 80)
	between("longest run without a 1", longestRun, 500, 2000)
	days, same := 0, 0
	for _, n := range byDay {
		if n >= 200 {
			days++
		}
	}
	for _, n := range byTime {
		same = max(same, n)
	}
	between("days with hundreds", days, 4, 4)
	between("comments of one time", same, 200, 300)
}
