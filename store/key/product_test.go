package key

import (
	"testing"

	"pgregory.net/rapid"

	"product-comments/internal/testkit"
)

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
		{BucketCheckpoint("shardId-1", 2, 15), "CHECKPOINT#shardId-1/2/15"},
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
