package key

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"product-comments/internal/testkit"
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
		_, err := RatingsOf(3, bad)
		testkit.Check(t, err != nil, "rating %d was taken", bad)
	}
}

func TestStartKeyNamesTheIndexAndTheItem(t *testing.T) {
	p := Position{CreatedAt: time.Unix(0, 0).UTC(), CommentID: "7"}
	got := PartitionByRating("42", 5).StartKey(p.SortKey(), p.CommentID)
	testkit.Check(t, got[GSI3PK] == "PRODUCT#42/5" && got[GSISK] == p.SortKey() && got[PK] == "COMMENT#7" && got[SK] == "COMMENT#7" && len(got) == 4, "got %v", got)
}
