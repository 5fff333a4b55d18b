package verify_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/derive/verify"
	"product-comments/store/key"
	"product-comments/store/orders"
	"product-comments/store/settings"
	"product-comments/store/settings/definitions"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// newShop returns a store with entries of every kind: product 42 has a power set and an
// attribute, alice bought it and wrote c1, and c2 waits in the queue.
func newShop(t *testing.T) (s *store.Store, shown store.Comment) {
	t.Helper()
	must := func(_ any, err error) {
		t.Helper()
		testkit.Must(t, err)
	}
	client := double.New(double.Options{}).Client("verify")
	s = store.New(client, "comments", store.Options{PlaceAge: -1, MetaAge: time.Nanosecond})
	must(nil, s.EnsureTable(t.Context(), true))
	must(storetest.ProjectOnce(t.Context(), client, s.Projector()))
	must(s.Settings().ChangeWith(t.Context(), func(now *settings.Settings) ([]table.Write, bool, error) {
		now.PowerSets = map[string]settings.IndexState{"42": settings.IndexReadable}
		return []table.Write{{Put: with(table.KeyOf(key.Product("42"), key.PowerSetSK), "rev", table.N(1))}}, true, nil
	}))
	must(s.Attributes().Define(t.Context(), definitions.Change{
		Scope: definitions.Scope{Product: "42"}, Definitions: []attributes.Definition{{Key: "fit", Type: attributes.Number}},
	}))
	at := time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)
	_, _, err := s.RecordOrder(t.Context(), orders.Order{
		ID: "o1", Username: "alice", Status: orders.Delivered, Times: orders.Times{at}, Lines: []orders.Line{{ProductID: "42", Quantity: 1}},
	})
	must(nil, err)
	shown = store.Comment{ID: "c1", ProductID: "42", Rating: 5, Language: "en", CreatedAt: at, Owner: "alice", Attributes: json.RawMessage(`{"fit":1}`)}
	pending := store.Comment{ID: "c2", ProductID: "42", Rating: 5, Language: "en", CreatedAt: at, State: item.Pending}
	must(s.Import(t.Context(), []store.Comment{shown, pending}))
	must(storetest.ProjectOnce(t.Context(), client, s.Projector()))
	must(storetest.ProjectOnce(t.Context(), client, s.Projector()))
	return s, shown
}

// with returns an item with another value of an attribute, without it if nil.
func with(it table.Item, name string, value types.AttributeValue) table.Item {
	it = maps.Clone(it)
	if it[name] = value; value == nil {
		delete(it, name)
	}
	return it
}

// Verification reports each kind of wrong entry with its subject and unit: missing, outdated, or
// misplaced.
func TestFindsWrongEntries(t *testing.T) {
	t.Parallel()
	s, shown := newShop(t)
	tb := s.Projector().Table()
	find := func(about string, want ...string) {
		t.Helper()
		found, err := verify.Run(t.Context(), s.Projector(), verify.Options{})
		testkit.Need(t, err == nil && found.State == settings.StateKept, "%s: %+v, %v", about, found, err)
		var got []string
		for _, d := range found.Differences {
			got = append(got, d.String())
		}
		testkit.Check(t, slices.Equal(got, want), "%s: found %q, want %q", about, got, want)
	}
	find("nothing is wrong")
	try := func(what string, damage, repair []table.Write, want ...string) {
		t.Helper()
		for i, writes := range [][]table.Write{damage, repair} {
			testkit.Must(t, tb.WriteAll(t.Context(), "damage", writes...))
			find(what, want[:len(want)*(1-i)]...)
		}
	}
	const missing, outdated, extra = ", is missing", ", is outdated", ", does not belong there"
	place := shown.Position().SortKey()
	part := key.CasePart("42")
	ofProduct, _ := key.ProductMonth("42", "2026-06")
	const comments = "the comments are [0 0 0 0 1] {en:1} of [0 0 0 0 72] and 72"
	counts := table.KeyOf(key.Product("42"), key.StatisticsSK(""))
	set := func(name string, n int) func(table.Item) table.Item {
		return func(it table.Item) table.Item { return with(it, name, table.N(n)) }
	}
	for _, c := range []struct {
		what      string
		entry     table.Item                  // its key
		change    func(table.Item) table.Item // nil removes it
		elsewhere string                      // another partition in which it is to be
		in        key.Index
		want, and string
	}{
		{what: "a copy", entry: table.KeyOf("PRODUCT#42/~/31", place), want: `comment "c1": its entry in copies, PRODUCT#42/~/31` + missing},
		{what: "a changed copy", entry: table.KeyOf("PRODUCT#42/en/16", place),
			change: func(it table.Item) table.Item { return with(it, "title", table.S("Other")) }, want: `comment "c1": its entry in copies, PRODUCT#42/en/16` + outdated},
		{what: "a copy of a product without copies", entry: table.KeyOf("PRODUCT#42/en/16", place), elsewhere: "PRODUCT#43/en/16", want: `comment "c1": its entry in copies, PRODUCT#43/en/16` + extra},
		{what: "an entry of a column", entry: table.ColumnKey(key.ColumnMissing("42", key.Helpful).Value, place), in: key.Columns,
			want: `comment "c1": its entry in attribute index, COLUMN#42/M/%7Ehelpful` + missing},
		{what: "a changed entry of a column", entry: table.ColumnKey(key.ColumnMissing("42", key.Helpful).Value, place), in: key.Columns,
			change: func(it table.Item) table.Item { return with(it, "title", table.S("Other")) }, want: `comment "c1": its entry in attribute index, COLUMN#42/M/%7Ehelpful` + outdated},
		{what: "an entry of a column that has none", entry: table.ColumnKey(key.ColumnMissing("42", key.Helpful).Value, place), in: key.Columns,
			elsewhere: key.ColumnBare("42").Value, want: `comment "c1": its entry in attribute index, COLUMN#42/B` + extra},
		{what: "a count", entry: counts, change: set("count_2", 1), and: `product "42": S: the total is 1, its counts add up to 2`,
			want: `product "42": S: it counts [0 1 0 0 1] {en:1} of [0 0 0 0 72] bytes and at most 72, ` + comments},
		{what: "a total", entry: counts, change: set("count_total", 2), want: `product "42": S: the total is 2, its counts add up to 1`},
		{what: "a size", entry: counts, change: set("bytes_5", 1), want: `product "42": S: it counts [0 0 0 0 1] {en:1} of [0 0 0 0 1] bytes and at most 72, ` + comments},
		{what: "a limit", entry: table.KeyOf(key.Product("42"), key.StatisticsSK("en")), change: set("largest", 1),
			want: `product "42": S#en: it counts [0 0 0 0 1] {} of [0 0 0 0 72] bytes and at most 1, the comments are [0 0 0 0 1] {} of [0 0 0 0 72] and 72`},
		{what: "a rank", entry: counts, change: func(it table.Item) table.Item { return with(it, key.GSIPK, nil) },
			want: `product "42": S: with 1 fives its place in the leaderboard is "" "000000000001#42"`},
		{what: "a score", entry: counts, change: set("score", 1_000_000_000), want: `product "42": S: it notes the score 1000000000, which is 0`},
		{what: "a list of what an author wrote", entry: table.Primary(item.Authored(&item.Stored{Comment: shown})), want: `comment "c1": its entry in author entries, USER#alice` + missing},
		{what: "a mark of an author", entry: table.Primary(item.Mark(&item.Stored{Comment: shown})), want: `comment "c1": its entry in author entries, USER#alice` + missing},
		{what: "a mark of another", entry: table.Primary(item.Authored(&item.Stored{Comment: shown})), elsewhere: key.User("bob"), want: `comment "c1": its entry in author entries, USER#bob` + extra},
		{what: "a place in the queue", entry: table.KeyOf(key.Case("c2"), key.QueuedSK), want: part + `: COUNTS: it counts 1 that are PENDING/en/-, the comments are 0`, and: `comment "c2": its entry in moderation queue, CASE#c2` + missing},
		{what: "another place in the queue", entry: table.KeyOf(key.Case("c2"), key.QueuedSK),
			change: func(it table.Item) table.Item { return with(it, key.GSIPK, table.S("QUEUE#OTHER")) }, want: `comment "c2": its entry in moderation queue, CASE#c2` + outdated},
		{what: "a place in the queue of what is published", entry: table.KeyOf(key.Case("c2"), key.QueuedSK), elsewhere: key.Case("c1"),
			want: `comment "c1": its entry in moderation queue, CASE#c1` + extra},
		{what: "counts of the queue", entry: table.KeyOf(part, key.CasesSK), want: part + `: COUNTS: it counts 0 that are PENDING/en/-, the comments are 1`},
		{what: "other counts of the queue", entry: table.KeyOf(part, key.CasesSK), elsewhere: "CASES#none", want: `CASES#none: COUNTS: it counts 1 that are PENDING/en/-, the comments are 0`},
		{what: "counts of a month", entry: table.KeyOf(key.MonthsPart("42"), "2026-06"),
			want: key.MonthsPart("42") + `: 2026-06: it counts 0 that are c5/PENDING, the comments are 1`, and: key.MonthsPart("42") + `: 2026-06: it counts 0 that are c5/PUBLISHED, the comments are 1`},
		{what: "counts of a product's month", entry: table.KeyOf(key.ProductMonth("42", "2026-06")),
			want: ofProduct + `: 42#2026-06: it counts 0 that are c5/PENDING, the comments are 1`, and: ofProduct + `: 42#2026-06: it counts 0 that are c5/PUBLISHED, the comments are 1`},
		{what: "counts of a month without comments", entry: table.KeyOf(key.MonthsPart("42"), "2026-06"), elsewhere: "MONTHS#4",
			want: `MONTHS#4: 2026-06: it counts 1 that are c5/PENDING, the comments are 0`, and: `MONTHS#4: 2026-06: it counts 1 that are c5/PUBLISHED, the comments are 0`},
		{what: "a mark of a purchase", entry: orders.MarkKey("alice", "42"), change: func(it table.Item) table.Item { return with(it, "n", table.N(2)) },
			want: `purchases of alice: the mark of product 42 counts 2 orders, there are 1`},
		{what: "no mark of a purchase", entry: orders.MarkKey("alice", "42"),
			want: `purchases of alice: the mark of product 42 counts 0 orders, there are 1`, and: `verified purchases of c1: the comment does not say false`},
		{what: "a mark that counts no purchase", entry: orders.MarkKey("alice", "42"), change: func(it table.Item) table.Item { return with(it, "n", table.N(0)) },
			want: `purchases of alice: the mark of product 42 counts 0 orders, there are 1`, and: `verified purchases of c1: the comment does not say false`},
	} {
		from := tb
		if c.in == key.Columns {
			from = tb.Columns()
		}
		before, err := from.Get(t.Context(), "an entry", c.entry)
		testkit.Need(t, err == nil && before != nil, "%s: %v, %v", c.what, before, err)
		damage, repair := table.Write{In: c.in, Key: c.entry, Delete: true}, table.Write{In: c.in, Put: before}
		switch {
		case c.elsewhere != "":
			other := with(before, key.PK, table.S(c.elsewhere))
			damage, repair = table.Write{In: c.in, Put: other}, table.Write{In: c.in, Key: table.Primary(other), Delete: true}
		case c.change != nil:
			damage = table.Write{In: c.in, Put: c.change(before)}
		}
		try(c.what, []table.Write{damage}, []table.Write{repair}, slices.DeleteFunc([]string{c.want, c.and}, func(what string) bool { return what == "" })...)
	}
	mark, authored := item.Mark(&item.Stored{Comment: shown}), item.Authored(&item.Stored{Comment: shown})
	try("neither mark of an author", []table.Write{{Key: table.Primary(mark), Delete: true}, {Key: table.Primary(authored), Delete: true}},
		[]table.Write{{Put: mark}, {Put: authored}}, `comment "c1": its entry in author entries, USER#alice`+missing, `comment "c1": its entry in author entries, USER#alice`+missing)
	shown.CreatedAt = shown.CreatedAt.Add(time.Hour)
	later := item.Mark(&item.Stored{Comment: shown})
	try("a mark at another time", []table.Write{{Put: later}}, []table.Write{{Key: table.Primary(later), Delete: true}}, `comment "c1": its entry in author entries, USER#alice`+extra)
}
