package key

import (
	"fmt"
	"strconv"
	"strings"
)

// statisticsSK is the sort key of a product's statistics.
const statisticsSK = "S"

// Product returns the partition key of a product's own items, such as its statistics.
func Product(productID string) string { return productPrefix + escape(productID) }

// StatisticsSK returns the sort key of a product's statistics (AP7, AP9), or
// of those of one language (AP8, AP10).
func StatisticsSK(language string) string { return withLanguage(statisticsSK, language) }

// ParseStatisticsSK is the inverse of StatisticsSK; ok is false for any other
// sort key.
func ParseStatisticsSK(sk string) (language string, ok bool) { return cutLanguage(sk, statisticsSK) }

// anyLanguage stands for the language where a partition holds all.
const anyLanguage = "~"

// PowerSet is the partition that holds a copy of every comment of a product
// that passes a filter (part 1 of the series, with its bit mask for a set of
// ratings). It lies in the table itself: PRODUCT#42/en/3 holds ratings 1 and 2
// there, and cannot be taken for byLangAndRating's partition of that name,
// which holds rating 3.
func PowerSet(productID, language string, ratings Ratings) Partition {
	if language == "" {
		language = anyLanguage
	} else {
		language = escape(language)
	}
	if ratings.Any() {
		ratings = AllRatings
	}
	return Partition{Table, productPrefix + escape(productID) + "/" + language + "/" + strconv.Itoa(int(ratings))}
}

// ParsePowerSet reads the partition key of a copy; ok is false for the key of
// anything else.
func ParsePowerSet(pk string) (productID, language string, ratings Ratings, ok bool) {
	rest, ok := strings.CutPrefix(pk, productPrefix)
	if !ok {
		return "", "", 0, false
	}
	parts := strings.Split(rest, "/")
	if len(parts) != 3 {
		return "", "", 0, false
	}
	productID, ok = unescape(parts[0])
	if parts[1] != anyLanguage {
		var fine bool
		language, fine = unescape(parts[1])
		ok = ok && fine && language != ""
	}
	mask, err := strconv.ParseUint(parts[2], 10, 8)
	return productID, language, Ratings(mask), ok && err == nil && mask >= 1 && mask <= uint64(AllRatings)
}

// PowerSetSK is the sort key of the item that is there while the copies of a product's
// comments are kept.
const PowerSetSK = "POWERSET"

// PowerSetFills is the partition key of the items that say of which products copies are
// being made or removed. The sort key is the partition key of the product.
const PowerSetFills = "POWERSETFILLS"

// placesPrefix begins the partitions of PendingPlace.
const placesPrefix = "PLACES#"

// PendingPlaces is the number of partitions that hold what is not yet written
// to the leaderboard, so that none of them runs hot.
const PendingPlaces = 16

// PendingPlace is the partition that lists a product's statistics while their
// place in a leaderboard is older than they are. It lies in byLang with those
// of comments, and is sparse: places are written at most once a minute.
func PendingPlace(productID string) Partition {
	return PendingPlacePartition(partOf(productID, PendingPlaces))
}

// PendingPlacePartition returns one of those partitions, 0 to PendingPlaces-1.
func PendingPlacePartition(n int) Partition {
	return Partition{ByLang, fmt.Sprintf(placesPrefix+"%02d", n)}
}
