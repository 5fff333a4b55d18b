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

// StatisticsSK returns the sort key of a product's statistics (AP7, AP9), or of its statistics
// of one language (AP8, AP10).
func StatisticsSK(language string) string { return withLanguage(statisticsSK, language) }

// ParseStatisticsSK is the inverse of StatisticsSK; ok is false for any other
// sort key.
func ParseStatisticsSK(sk string) (language string, ok bool) { return cutLanguage(sk, statisticsSK) }

// anyLanguage replaces the language in partitions of all languages.
const anyLanguage = "~"

// PowerSet returns the partition with copies of all comments of a product that pass a filter
// (part 1 of the series, with its bit mask for a set of ratings). It lies in the table itself:
// there PRODUCT#42/en/3 has ratings 1 and 2, while byLangAndRating's partition of that name has
// rating 3.
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

// ParsePowerSet parses the partition key of a copy; ok is false for any other key.
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

// PowerSetSK is the sort key of the item that exists while a product has a power set.
const PowerSetSK = "POWERSET"

// PowerSetFills is the partition key of the backfills of power sets. The sort key is the
// partition key of the product.
const PowerSetFills = "POWERSETFILLS"

// placesPrefix is the prefix of the partitions of PendingPlace.
const placesPrefix = "PLACES#"

// PendingPlaces is the number of partitions of statistics with outdated leaderboard places,
// which keeps any of them from becoming hot.
const PendingPlaces = 16

// PendingPlace returns the partition, in byLang, that lists a product's statistics while their
// place in a leaderboard is outdated: places are written at most once a minute.
func PendingPlace(productID string) Partition {
	return PendingPlacePartition(partOf(productID, PendingPlaces))
}

// PendingPlacePartition returns one of the partitions of PendingPlace, 0 to PendingPlaces-1.
func PendingPlacePartition(n int) Partition {
	return Partition{ByLang, fmt.Sprintf(placesPrefix+"%02d", n)}
}
