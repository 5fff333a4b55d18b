package plan

import (
	"testing"

	"product-comments/store/key"
)

// What a page did cost is next to what it should, partition for partition.
func TestTree(t *testing.T) {
	whole, one, five := key.PartitionByLang("42", "en"), key.PartitionByLangAndRating("42", "en", 1), key.PartitionByLangAndRating("42", "en", 5)
	p := Plan{
		Strategy: Filtered, Index: key.ByLang, Limit: 20, Reason: "one language, 3 ratings",
		Root: &Either{
			First: &Scan{Span: key.Span{Partition: whole}, Only: Only{Ratings: 0b10011}, Limit: 24, Items: 20.4, Units: 1, Actual: Spent{Units: 1, Queries: 1, Items: 24}},
			Then: &Merge{[]*Scan{
				{Span: key.Span{Partition: one}, Limit: 21}, {Span: key.Span{Partition: five}, Limit: 21, Actual: Spent{Units: 1.5, Queries: 2, Items: 1}},
			}},
		},
		Rejected: []Alternative{
			{Strategy: PowerSet, Index: key.Table, Reason: "there is none"},
			{Strategy: Merged, Index: key.ByLangAndRating, Estimate: Estimate{Units: 2, Queries: 2.5, RoundTrips: 1.5, Discarded: 3}, Reason: "0.25 read units more"},
		},
		Estimate: Estimate{Units: 1.75, Queries: 2.5, RoundTrips: 1.5, Discarded: 4},
	}
	actual := Cost{Spent: Spent{Units: 2.5, Queries: 3, Items: 25}, RoundTrips: 3}
	want := `filtered partition on byLang: one language, 3 ratings
├─ query GSI2PK = PRODUCT#42/en, only ratings 1,2,5, first 24: about 20.4 items of the page, 1.0 read units; actual 24 items, 1.0 read units in 1 query
├─ or, if it finds too little: merge
│  ├─ query GSIPK = PRODUCT#42/en/1, as far as the page needs it; not needed
│  └─ query GSIPK = PRODUCT#42/en/5, as far as the page needs it; actual 1 item, 1.5 read units in 2 queries
├─ estimate: 1.75 read units, 2.5 queries in 1.5 round trips, 4 items too many
├─ actual: 2.50 read units, 3 queries in 3 round trips, 25 items read and 20 shown
├─ not power-set partition on table: there is none
└─ not merge of partitions on byLangAndRating: 0.25 read units more (2.00 read units, 2.5 queries in 1.5 round trips, 3 items too many)
`
	if got := p.Tree(actual, 20); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// Nothing was read between two cursors that hold nothing between them.
	p = Plan{Strategy: Single, Index: key.All, Reason: "no filter", Root: &Merge{[]*Scan{{Span: key.Span{Partition: key.PartitionAll("42")}, Limit: 21, Items: 21, Units: 0.5}}}}
	want = `single partition on all: no filter
├─ query GSI4PK = PRODUCT#42, first 21: about 21.0 items of the page, 0.5 read units; not read
├─ estimate: 0.00 read units, 0.0 queries in 0.0 round trips, 0 items too many
└─ actual: 0.00 read units, 0 queries in 0 round trips, 0 items read and 0 shown
`
	if got := p.Tree(Cost{}, 0); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
