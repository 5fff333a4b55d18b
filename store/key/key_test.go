package key

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
)

func TestKeysOfAComment(t *testing.T) {
	at := time.Date(2014, 3, 9, 8, 7, 6, 5, time.UTC)
	got := OfComment("42", "en", 3, Position{CreatedAt: at, CommentID: "100001"})
	want := Item{
		PK: "COMMENT#100001", SK: "COMMENT#100001",
		GSIPK: "PRODUCT#42/en/3", GSI2PK: "PRODUCT#42/en", GSI3PK: "PRODUCT#42/3", GSI4PK: "PRODUCT#42",
		GSISK: "20140309080706000000005#100001",
	}
	testkit.Check(t, got == want, "got  %+v\nwant %+v", got, want)
}

// No choice of ids may make the partitions of two products, or two partitions
// of one product, meet.
func TestNoInputReachesAnotherPartition(t *testing.T) {
	ids := []string{"42", "42/en", "42/en/3", "42/3", "42%2Fen", "PRODUCT#42", "#", "~", "%", "42\x00", "en"}
	seen := map[string]string{}
	for _, id := range ids {
		for _, p := range []Partition{PartitionAll(id), PartitionByLang(id, "en"), PartitionByRating(id, 3), PartitionByLangAndRating(id, "en", 3)} {
			other, dup := seen[p.Value]
			testkit.Check(t, !dup, "%q of product %q is also a partition of %q", p.Value, id, other)
			seen[p.Value] = id
		}
		if back, ok := ProductID(PartitionAll(id).Value); !ok || back != id {
			t.Errorf("product %q came back as %q, %v", id, back, ok)
		}
		if back, ok := CommentID(Comment(id)); !ok || back != id {
			t.Errorf("comment %q came back as %q, %v", id, back, ok)
		}
	}
	if _, ok := ProductID("PRODUCT#42/en"); ok {
		t.Error("a language partition was taken for a product")
	}
	if _, ok := CommentID("PRODUCT#42"); ok {
		t.Error("a product's key was taken for a comment's")
	}
}

func anyPosition(t *rapid.T, label string) Position {
	return Position{
		CreatedAt: time.Unix(rapid.Int64Range(0, 7_000_000_000).Draw(t, label+" seconds"), int64(rapid.IntRange(0, 999_999_999).Draw(t, label+" ns"))).UTC(),
		CommentID: rapid.StringN(1, 20, 64).Draw(t, label+" id"),
	}
}

func TestSortKeyRoundTripAndOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyPosition(t, "a"), anyPosition(t, "b")
		back, ok := ParseSortKey(a.SortKey())
		testkit.Need(t, ok && back.CreatedAt.Equal(a.CreatedAt) && back.CommentID == a.CommentID, "%+v came back as %+v, %v", a, back, ok)
		if c := a.CreatedAt.Compare(b.CreatedAt); c != 0 && c != strings.Compare(a.SortKey(), b.SortKey()) {
			t.Fatalf("%q and %q do not sort as their times do", a.SortKey(), b.SortKey())
		}
		testkit.Need(t, (a.SortKey() == b.SortKey()) == (a == b), "%+v and %+v share a place", a, b)
	})
}

func TestParseSortKeyRefuses(t *testing.T) {
	for _, s := range []string{"", "#", "20140309080706000000005", "20140309080706000000005#%", "20140309080706000000005#%2f",
		"20140309080706000000005#a/b", "2014030908070600000000x#1", "20149909080706000000005#1", "LEADERS"} {
		p, ok := ParseSortKey(s)
		testkit.Check(t, !ok, "%q was read as %+v", s, p)
	}
}

func TestRatings(t *testing.T) {
	for _, c := range []struct {
		in   []int
		want string
		mask Ratings
	}{
		{nil, "any", 0}, {[]int{1, 2, 3, 4, 5}, "any", 0}, {[]int{5, 1}, "1,5", 17}, {[]int{3, 3, 2}, "2,3", 6},
	} {
		set, err := RatingsOf(c.in...)
		testkit.Check(t, err == nil && set.String() == c.want && set.Canonical() == c.mask, "%v: got %v, mask %d, %v", c.in, set, set.Canonical(), err)
		for r := 1; r <= 5; r++ {
			if want := c.want == "any" || slices.Contains(c.in, r); set.Has(r) != want {
				t.Errorf("%v.Has(%d) = %v", set, r, !want)
			}
		}
	}
	for _, bad := range []int{0, 6, -1, 1 << 30} {
		testkit.Check(t, testkit.Err(RatingsOf(3, bad)) != nil, "rating %d was taken", bad)
	}
}

func TestStartKeyNamesTheIndexAndTheItem(t *testing.T) {
	p := Position{CreatedAt: time.Unix(0, 0).UTC(), CommentID: "7"}
	got := PartitionByRating("42", 5).StartKey(p.SortKey(), p.CommentID)
	testkit.Check(t, got[GSI3PK] == "PRODUCT#42/5" && got[GSISK] == p.SortKey() && got[PK] == "COMMENT#7" && got[SK] == "COMMENT#7" && len(got) == 4, "got %v", got)
}

// Every kind of item has keys of its own, whatever the ids in them.
func TestAccessOf(t *testing.T) {
	item := func(pk string) Partition { return Partition{Table, pk} }
	for _, c := range []struct {
		in   Partition
		sort string
		want Access
	}{
		{PartitionAll("LEADERS"), "", AccessAll},
		{PartitionByLang("42", "en"), "", AccessByLang},
		{PartitionByRating("42", 3), "", AccessByRating},
		{PartitionByLangAndRating("42", "en", 3), "", AccessByLangAndRating},
		{Leaders(""), "", AccessLeaders},
		{Leaders("en"), "", AccessLeaders},
		{Scores("en"), "", AccessLeaders},
		{item(Product("42")), ScoreSK("en"), AccessLeaders},
		{PendingPlace("42"), "", AccessPlaces},
		{PowerSet("42", "en", 17), "", AccessPowerSet},
		{item(Product("42")), PowerSetSK, AccessPowerSet},
		{item(Product("a/b")), StatisticsSK(""), AccessCounts},
		{item(Product("42")), StatisticsSK("en"), AccessCountsByLang},
		{item(Comment("PRODUCT#1")), Comment("PRODUCT#1"), AccessComment},
		{item(Idempotency("x")), "", AccessIdempotency},
		{item(BucketCheckpoint("shard", 2)), "", AccessCheckpoint},
		{item(Meta("settings")), "", AccessSettings},
		{item(User("PRODUCT#1")), WroteOnly("42"), AccessWrote},
		{item(User("ORDER#1")), Profile, AccessProfile},
		{item(User("alice")), Order("PROFILE"), AccessOrders},
		{item(User("alice")), Bought("42"), AccessBought},
		{item(Order("USER#1")), Line(1), AccessOrder},
		{OrderWithLines("1"), "", AccessOrder},
		{OrdersOf("alice"), "", AccessOrders},
		{StatusesOf("alice"), "", AccessOrdersByStatus},
		{OpenOf("1"), "", AccessOpenOrders},
		{item(Product("42")), AttributesSK, AccessDefinitions},
		{item(AttributeGroup("shoes")), Product("42"), AccessDefinitions},
		{item(AttributeFills), Product("42"), AccessDefinitions},
		{item(User("alice")), Authored("PENDING", Position{}), AccessAuthored},
		{item(User("alice")), PaceSK, AccessCase},
		{item(Product("42")), ModesSK, AccessCase},
		{item(Case("COMMENT#1")), QueuedSK, AccessCase},
		{item(CasePart("42")), CasesSK, AccessQueue},
		{item(MonthsPart("42")), "2026-11", AccessQueue},
		{QueuedIn("PENDING", "en", true, 1).All, "", AccessQueue},
		{QueuedIn("PENDING", "en", true, 1).ByReported, "", AccessQueue},
		{item("somebody else's"), "", AccessOther},
		{Partition{Index{Name: "another"}, "x"}, "", AccessOther},
	} {
		testkit.Equal(t, AccessOf(c.in.Index, c.in.Value, c.sort), c.want, "%s %s %s", c.in.Index, c.in.Value, c.sort)
	}
	testkit.Equal(t, AccessOther.String(), "other", "another access")
}

func TestLanguages(t *testing.T) {
	l := LanguagesOf("pt-BR", "de", "en", "de")
	testkit.Check(t, l == "de,en,pt-BR" && len(l.List()) == 3 && l.One() == "" && !l.Any(), "%q", l)
	for tag, want := range map[string]bool{"de": true, "pt-BR": true, "pt": false, "d": false, "de,en": false, "": false} {
		testkit.Check(t, l.Has(tag) == want, "%q: %t", tag, !want)
	}
	any := LanguagesOf()
	testkit.Check(t, any.Any() && any.Has("de") && any.List() == nil, "%q", any)
	testkit.Check(t, LanguagesOf("de").One() == "de", "it is one")
}

func TestLanguagesWithScriptsAndRegions(t *testing.T) {
	for _, test := range []struct {
		language, tag string
		want          bool
	}{
		{"en", "en", true}, {"en", "en-GB", true}, {"es", "es-419", true}, {"zh-Hant", "zh-Hant-TW", true}, {"zh", "zh-Hant-TW", true},
		{"zh", "zh-Hans", true}, {"sr", "sr-Latn", true}, {"zh-TW", "zh-Hant-TW", true}, {"de-1996", "de-CH-1996", true}, {"sl", "sl-rozaj", true},
		{"en-GB", "en", false}, {"en-GB", "en-US", false}, {"zh-Hans", "zh-Hant-TW", false}, {"en", "enm", false}, {"en", "de-en", false},
		{"en", "en-x-gb", false}, {"en", "en-a-bb", false},
	} {
		set := LanguagesOf("fr", test.language)
		testkit.Check(t, set.Covers(test.tag) == test.want, "%s covers %s: %t", test.language, test.tag, !test.want)
		got := set.WithRegions(slices.Values([]string{test.tag}))
		testkit.Check(t, got.Has(test.tag) == test.want && got.Has("fr") && got.Has(test.language), "%s with %s: %s", set, test.tag, got)
	}
	testkit.Check(t, LanguagesOf().WithRegions(slices.Values([]string{"en"})).Any(), "any language became one")
}

func TestKeysOfAProduct(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Product("42"), "PRODUCT#42"},
		{StatisticsSK(""), "S"},
		{StatisticsSK("en"), "S#en"},
		{Leaders("").Value, "LEADERS"},
		{Leaders("en").Value, "LEADERS#en"},
		{Scores("").Value, "SCORES"},
		{Scores("en").Value, "SCORES#en"},
		{ScoreSK("en"), "SCORE#en"},
		{Rank{17, "4/2"}.SortKey(), "000000000017#4%2F2"},
		{PowerSet("42", "en", 0b10001).Value, "PRODUCT#42/en/17"},
		{PowerSet("42", "", 0).Value, "PRODUCT#42/~/31"},
		{PowerSet("4/2", "~", 3).Value, "PRODUCT#4%2F2/%7E/3"},
		{PendingPlacePartition(7).Value, "PLACES#07"},
		{BucketCheckpoint("shardId-1", 15), "CHECKPOINT#shardId-1/15"},
		{Checkpoint("shardId-1"), "CHECKPOINT#shardId-1"},
	} {
		testkit.Check(t, c.got == c.want, "got %s, want %s", c.got, c.want)
	}
	// The name of one is a partition of an index, of the other of the table.
	testkit.Check(t, PowerSet("42", "en", 3) != PartitionByLangAndRating("42", "en", 3), "one partition means ratings 1 and 2, and rating 3")
}

func TestKeysOfAProductAreReadBack(t *testing.T) {
	id := rapid.StringN(1, 20, 128)
	rapid.Check(t, func(t *rapid.T) {
		product, language := id.Draw(t, "product"), rapid.StringN(0, 8, -1).Draw(t, "language")
		if back, ok := ParseStatisticsSK(StatisticsSK(language)); !ok || back != language {
			t.Fatalf("language %q came back as %q, %v", language, back, ok)
		}
		rank := Rank{rapid.IntRange(0, 1_000_000_000).Draw(t, "fives"), product}
		if back, ok := ParseRank(rank.SortKey()); !ok || back != rank {
			t.Fatalf("%+v came back as %+v, %v", rank, back, ok)
		}
		if back, ok := ParseScoreSK(ScoreSK(language)); !ok || back != language {
			t.Fatalf("language %q came back as %q, %v", language, back, ok)
		}
		for in, sk := range map[Partition]string{Leaders(language): StatisticsSK(language), Scores(language): ScoreSK(language)} {
			start := in.StartKey(rank.SortKey(), rank.ProductID)
			if len(start) != 4 || start[in.Index.PartitionKey] != in.Value || start[in.Index.SortKey] != rank.SortKey() ||
				start[PK] != Product(product) || start[SK] != sk {
				t.Fatalf("after %+v of %q the key of its item would be %v", rank, language, start)
			}
		}
		more := Rank{rapid.IntRange(rank.Number, 1_000_000_001).Draw(t, "more"), product}
		testkit.Need(t, more.Number <= rank.Number || Compare(more, rank) > 0, "%+v does not come after %+v", more, rank)
		ratings := Ratings(rapid.IntRange(1, 31).Draw(t, "ratings"))
		p, l, r, ok := ParsePowerSet(PowerSet(product, language, ratings).Value)
		testkit.Need(t, ok && p == product && l == language && r == ratings, "%q %q %s came back as %q %q %s, %v", product, language, ratings, p, l, r, ok)
	})
	for _, sk := range []string{"", "S#", "SX", "SCORES", "SCORE#", "POWERSET", "COMMENT#1"} {
		_, ok := ParseStatisticsSK(sk)
		testkit.Check(t, !ok, "%q was taken for statistics", sk)
		_, ok = ParseScoreSK(sk)
		testkit.Check(t, !ok, "%q was taken for an entry by score", sk)
	}
	for _, pk := range []string{"PRODUCT#42", "PRODUCT#42/en", "PRODUCT#42/en/0", "PRODUCT#42/en/32", "PRODUCT#42//3", "PRODUCT#42/en/3/4", "COMMENT#42/en/3"} {
		_, _, _, ok := ParsePowerSet(pk)
		testkit.Check(t, !ok, "%q was taken for a copy's partition", pk)
	}
}

// A person's marks about a product lie between its borders, and no other does.
func TestMarksOfAProductLieTogether(t *testing.T) {
	id := rapid.OneOf(rapid.SampledFrom([]string{"4", "42", "42#", "42\"", "42$", "42/", "4%32", "é", " "}), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		product, other := id.Draw(t, "product"), id.Draw(t, "other")
		p := Position{CreatedAt: time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "at"), 0).UTC(), CommentID: id.Draw(t, "id")}
		after, until := WroteAbout(product)
		for _, sk := range []string{Wrote(product, p), WroteOnly(product)} {
			testkit.Need(t, after < sk && sk < until, "%q is not between %q and %q", sk, after, until)
			testkit.Need(t, IsMark(User("x"), sk), "%q is no mark", sk)
		}
		for _, sk := range []string{Wrote(other, p), WroteOnly(other)} {
			testkit.Need(t, other == product || after >= sk || sk >= until, "%q of another product is between %q and %q", sk, after, until)
		}
		testkit.Need(t, Wrote(product, p) != WroteOnly(product), "a position is taken for the only one")
		if a, b := User(product), User(other); (a == b) != (product == other) {
			t.Fatalf("%q and %q", a, b)
		}
	})
}
