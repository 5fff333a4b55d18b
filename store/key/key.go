// Package key defines all keys of the table.
//
// docs/design.md lists the keys of all items. The keys of a comment are:
//
//	PK = SK   COMMENT#<comment id>
//	GSIPK     PRODUCT#<product id>/<language>/<rating>   index byLangAndRating
//	GSI2PK    PRODUCT#<product id>/<language>            index byLang
//	GSI3PK    PRODUCT#<product id>/<rating>              index byRating
//	GSI4PK    PRODUCT#<product id>                       index all
//	GSISK     <creation time>#<comment id>               sort key of all four
//
// GSISK is a total order: two comments of the same nanosecond differ by id, so a position is
// unique in every partition. Ids come from shops, so separators in them are escaped.
//
// Other items share the indexes. Statistics of products with comments rated 5 are in the
// leaderboard: GSIPK is LEADERS or LEADERS#<language>, GSISK the number of such comments with
// leading zeros and the product. While GSISK is older than the statistics, GSI2PK is
// PLACES#<number>. The leaderboard by score has separate items: GSIPK is SCORES or
// SCORES#<language>, GSISK the score with leading zeros and the product. An order's keys are:
//
//	GSIPK             ORDER#<order id>, also of its lines           index byLangAndRating
//	GSI2PK            USER#<subject>                                index byLang
//	GSISK             <when placed>#<order id>; of a line LINE#<number>
//	PK                                                              index ordersByStatus
//	OrderStatusDate   <status>#<when shipped>#<order id>, or
//	                  <status>#-<when placed>#<order id>            its sort key
//	PlacedId          OPEN#<number>, while it is PLACED             index openOrders, sort key GSISK
//
// Comments with photos are in openOrders, too: their PlacedId is PRODUCT#<product id>.
//
// A second table has comments by the values of attributes, see Columns.
package key

import (
	"strconv"
	"strings"
)

// The names of the key attributes.
const (
	PK     = "PK"
	SK     = "SK"
	GSIPK  = "GSIPK"
	GSI2PK = "GSI2PK"
	GSI3PK = "GSI3PK"
	GSI4PK = "GSI4PK"
	GSISK  = "GSISK"
)

const (
	commentPrefix     = "COMMENT#"
	productPrefix     = "PRODUCT#"
	idempotencyPrefix = "IDEMPOTENCY#"
	checkpointPrefix  = "CHECKPOINT#"
	metaPrefix        = "META#"
)

// Index is a global secondary index, or the table itself, whose name is empty.
type Index struct {
	Name         string
	PartitionKey string
	SortKey      string
}

// String returns the index's name, "table" for the table itself.
func (i Index) String() string {
	if i.Name == "" {
		return "table"
	}
	return i.Name
}

// The table's indexes. GSIPK is overloaded: partitions of byLangAndRating that do not start
// with PRODUCT# have other sorted sets than comments.
var (
	ByLangAndRating = Index{"byLangAndRating", GSIPK, GSISK}
	ByLang          = Index{"byLang", GSI2PK, GSISK}
	ByRating        = Index{"byRating", GSI3PK, GSISK}
	All             = Index{"all", GSI4PK, GSISK}
)

// Table is the table itself.
var Table = Index{"", PK, SK}

// Indexes lists every index of the table.
var Indexes = []Index{ByLangAndRating, ByLang, ByRating, All, OrdersByStatus, Open}

// OfComments are the indexes that contain comments. Open has only comments with photos.
var OfComments = []Index{ByLangAndRating, ByLang, ByRating, All, Open}

// Partition is one partition of one index.
type Partition struct {
	Index Index
	Value string // value of the index's partition key
}

// Item has all key attributes of a comment's item.
type Item struct {
	PK, SK, GSIPK, GSI2PK, GSI3PK, GSI4PK, GSISK string
}

// OfComment returns the keys of a comment. The language must be canonical and
// the rating 1 to 5.
func OfComment(productID, language string, rating int, at Position) Item {
	pk := Comment(at.CommentID)
	return Item{
		PK: pk, SK: pk,
		GSIPK:  PartitionByLangAndRating(productID, language, rating).Value,
		GSI2PK: PartitionByLang(productID, language).Value,
		GSI3PK: PartitionByRating(productID, rating).Value,
		GSI4PK: PartitionAll(productID).Value,
		GSISK:  at.SortKey(),
	}
}

// Comment returns the partition key, and sort key, of a comment's item.
func Comment(id string) string { return commentPrefix + escape(id) }

// OfAnyComment returns the common prefix of the partition keys of comments.
func OfAnyComment() (pk string) { return commentPrefix }

// CommentID is the inverse of Comment; ok is false for any other item's key.
func CommentID(pk string) (id string, ok bool) { return idAfter(pk, commentPrefix) }

// Idempotency returns the key of an idempotency item, given a digest of product, owner and
// idempotency key.
func Idempotency(digest string) string { return idempotencyPrefix + escape(digest) }

// Meta returns the key of an item about the table's content as a whole, such as whether demo
// data were loaded.
func Meta(name string) string { return metaPrefix + escape(name) }

// Erasure returns the key of the record of an erasure.
func Erasure(id string) string { return Meta(erasurePrefix + id) }

const erasurePrefix = "erasure-"

// Checkpoint returns the key of the checkpoint of a stream shard.
func Checkpoint(shardID string) string { return checkpointPrefix + escape(shardID) }

// BucketCheckpoint returns the key of a shard's checkpoint for one bucket of products.
func BucketCheckpoint(shardID string, bucket int) string {
	return Checkpoint(shardID) + "/" + strconv.Itoa(bucket)
}

// ProductID returns the product id in a GSI4PK value.
func ProductID(gsi4pk string) (id string, ok bool) {
	rest, ok := strings.CutPrefix(gsi4pk, productPrefix)
	if !ok || strings.Contains(rest, "/") {
		return "", false
	}
	return unescape(rest)
}

// PartitionAll returns the partition of all comments of a product (AP1).
func PartitionAll(productID string) Partition {
	return Partition{All, productPrefix + escape(productID)}
}

// PartitionWithPhotos returns the partition of a product's comments with photos, in the order of the
// others.
func PartitionWithPhotos(productID string) Partition {
	return Partition{Open, productPrefix + escape(productID)}
}

// PartitionByLang returns the partition of a product's comments in one language (AP2).
func PartitionByLang(productID, language string) Partition {
	return Partition{ByLang, productPrefix + escape(productID) + "/" + escape(language)}
}

// PartitionByLangAndRating returns the partition of a product's comments of one language and
// rating (AP3a).
func PartitionByLangAndRating(productID, language string, rating int) Partition {
	return Partition{ByLangAndRating, productPrefix + escape(productID) + "/" + escape(language) + "/" + strconv.Itoa(rating)}
}

// PartitionByRating returns the partition of a product's comments of one rating, in any
// language (AP3b).
func PartitionByRating(productID string, rating int) Partition {
	return Partition{ByRating, productPrefix + escape(productID) + "/" + strconv.Itoa(rating)}
}
