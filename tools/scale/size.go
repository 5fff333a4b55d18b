package main

import (
	"math"
	"strings"
	"time"

	"product-comments/store/key"
)

// Sizes in bytes of what is not text or a key, roughly.
const (
	otherBytes = 74  // names and values: rating, lang, title, author, ver, the name of text
	overhead   = 100 // DynamoDB adds this to each item and each index entry that is stored
	gb         = 1e9
)

// collection is where one product's comments are kept.
type collection struct {
	name   string
	share  float64 // of the product's comments that one collection holds; 0 if they are spread over all partitions
	entry  int     // bytes of a comment
	stored float64 // entries of a comment, in all collections of this kind
}

// collections are where a product's comments are kept, of a product with an
// English majority.
var collections = func() []collection {
	at := key.Position{CreatedAt: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), CommentID: strings.Repeat("0", 26)} // a ULID's length
	k := key.OfComment(hotProduct, "en", 5, at)
	rest := len(key.GSISK+k.GSISK) + textBytes + otherBytes
	entry := func(keys ...string) int { return len(key.PK+k.PK+key.SK+k.SK+strings.Join(keys, "")) + rest }
	en, five := boards[1].share, ratingShares[4]
	set := key.PowerSet(hotProduct, "en", 17).Value
	return []collection{
		{"`table`, items anywhere", 0, entry(key.GSIPK, k.GSIPK, key.GSI2PK, k.GSI2PK, key.GSI3PK, k.GSI3PK, key.GSI4PK, k.GSI4PK), 1},
		{"`all`, the product", 1, entry(key.GSI4PK, k.GSI4PK), 1},
		{"`byLang`, en", en, entry(key.GSI2PK, k.GSI2PK), 1},
		{"`byRating`, 5", five, entry(key.GSI3PK, k.GSI3PK), 1},
		{"`byLangAndRating`, en and 5", en * five, entry(key.GSIPK, k.GSIPK), 1},
		{"copies of a power set, any language", 1, len(key.PK+set+key.SK+k.GSISK) + rest, copies},
	}
}()

// gigabytes returns the size of a number of entries.
func (x collection) gigabytes(entries float64) float64 {
	return entries * float64(x.entry+overhead) / gb
}

// firstSplit returns at how many comments a collection is split for its size.
func (x collection) firstSplit() float64 { return partitionGB / x.gigabytes(x.share) }

// partitionsOf returns how many partitions a collection of so many GB has. Only
// the newest end grows: a full partition leaves a half behind.
func partitionsOf(gigabytes float64) float64 {
	return 1 + math.Ceil(max(0, gigabytes-partitionGB)/(partitionGB/2))
}

func sizeTable() string {
	t := newTable("a-----", " | bytes of a comment | GB of all | GB of this collection | partitions by size | first split by size, at comments of the product")
	for _, x := range collections {
		all, own := x.gigabytes(bigProduct*x.stored), x.gigabytes(bigProduct*x.share)
		if x.share == 0 {
			t.row(x.name, x.entry, all, "–", "shared with all products", "–")
			continue
		}
		t.row(x.name, x.entry, all, own, partitionsOf(own), x.firstSplit())
	}
	return t.String()
}
