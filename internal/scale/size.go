package main

import (
	"fmt"
	"strings"
	"time"

	"product-comments/store/key"
)

// Sizes in bytes of what is not text or a key, roughly: names and values of
// the attributes that store/item.go has in the indexes, and those of a copy.
const (
	otherBytes = 6 + 1 + 4 + 2 + 5 + 30 + 6 + 12 + 3 + 1 + 4 // rating, lang, title, author, ver, the name of text
	overhead   = 100                                         // DynamoDB adds this to each item and each index entry that is stored
	copies     = 32                                          // of a comment in a power set
	gb         = 1e9
)

// collection is where one product's comments are kept.
type collection struct {
	name    string
	share   float64 // of the product's comments that one collection holds
	entry   int     // bytes of a comment
	stored  int     // entries of a comment, in all collections of this kind
	growing bool    // the sort key grows, so the new end fills up
}

// collections are where a product's comments are kept, of a product with an
// English majority.
func (c *config) collections() []collection {
	at := key.Position{CreatedAt: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), CommentID: strings.Repeat("0", 26)} // a ULID's length
	k := key.OfComment(hotProduct, "en", 5, at)
	text := c.Units.TextBytes + otherBytes
	primary := len(key.PK+k.PK) + len(key.SK+k.SK)
	place := len(key.GSISK + k.GSISK)
	entry := func(name, value string) int { return primary + place + len(name+value) + text }
	every := entry(key.GSIPK, k.GSIPK) + len(key.GSI2PK+k.GSI2PK) + len(key.GSI3PK+k.GSI3PK) + len(key.GSI4PK+k.GSI4PK)
	en, five := languages[0].share, ratingShares[4]
	set := key.PowerSet(hotProduct, "en", 17).Value
	return []collection{
		{"`table`, items anywhere", 0, every, 1, false},
		{"`all`, the product", 1, entry(key.GSI4PK, k.GSI4PK), 1, true},
		{"`byLang`, en", en, entry(key.GSI2PK, k.GSI2PK), 1, true},
		{"`byRating`, 5", five, entry(key.GSI3PK, k.GSI3PK), 1, true},
		{"`byLangAndRating`, en and 5", en * five, entry(key.GSIPK, k.GSIPK), 1, true},
		{"copies of a power set, any language", 1, len(key.PK+set) + len(key.SK+k.GSISK) + place + text, copies, true},
	}
}

// gigabytes returns the size of a number of entries.
func (x collection) gigabytes(entries float64) float64 {
	return entries * float64(x.entry+overhead) / gb
}

// fill puts comments into an item collection, oldest first, and splits the
// partition that is full into two halves. It returns the partitions' sizes in
// GB, oldest first. Only the last one grows, so the others stay half full.
func fill(comments, bytes, most float64) []float64 {
	sizes := []float64{0}
	for rest := comments * bytes / gb; rest > 0; {
		last := &sizes[len(sizes)-1]
		more := min(rest, most-*last)
		*last += more
		if rest -= more; *last >= most && rest > 0 {
			*last = most / 2
			sizes = append(sizes, most/2)
		}
	}
	return sizes
}

// firstSplit returns at how many comments a collection is split for its size.
func (c *config) firstSplit(x collection) float64 {
	return c.Limits.PartitionGB * gb / float64(x.entry+overhead) / x.share
}

func (c *config) sizeTable() string {
	n := c.Traffic.BigProduct
	t := table{columns: []string{"", "bytes of a comment", "GB of all", "GB of this collection", "partitions by size", "first split by size, at comments of the product"}, left: "a-----"}
	for _, x := range c.collections() {
		total := figure(x.gigabytes(n * float64(x.stored)))
		if !x.growing { // ids are spread over all partitions
			t.row(x.name, fmt.Sprint(x.entry), total, "–", "shared with all products", "–")
			continue
		}
		sizes := fill(n*x.share, float64(x.entry+overhead), c.Limits.PartitionGB)
		t.row(x.name, fmt.Sprint(x.entry), total, figure(x.gigabytes(n*x.share)), fmt.Sprint(len(sizes)), figure(c.firstSplit(x)))
	}
	return t.String()
}

// storedGB returns the size of comments in the table and its indexes, and that
// of their copies in power sets.
func (c *config) storedGB(comments float64) (indexes, powerSets float64) {
	for _, x := range c.collections() {
		if size := x.gigabytes(comments * float64(x.stored)); x.stored == copies {
			powerSets += size
		} else {
			indexes += size
		}
	}
	return indexes, powerSets
}
