package main

import (
	"math"
	"strconv"
	"time"

	"product-comments/store/key"
)

// Limits of DynamoDB partitions.
const (
	readLimit      = 3000.0 // read units a second of a partition
	writeLimit     = 1000.0 // write units a second of a partition
	newPartitions  = 4      // of a new table and of each new index
	warmPartitions = 16     // after pre-warming
)

// Servers and caches between page views and the table.
const (
	servers   = 20                   // of the API
	latency   = 5 * time.Millisecond // of a query; concurrent identical reads are shared for this time
	pageCache = time.Second          // how long a server caches a page and counts
	maxAge    = 5 * time.Second      // how long the CDN caches an answer (--cache-max-age of the service)
	edges     = 30                   // caches of the CDN that request from the servers independently
	cacheable = 0.9                  // share of page views that the CDN may answer: persisted queries by GET
)

// Costs of requests, from docs/benchmarks.md.
const (
	pageUnits     = 1.0  // read units of a page from one partition, with compressed texts
	mergeUnits    = 0.65 // read units of each partition that a page is merged from
	plainUnits    = 1.5  // read units of a page from one partition with plain texts, which AppSync resolvers need
	countUnits    = 0.5  // read units of a product's counts
	commentUnits  = 12.0 // write units of a comment that is written with a token: it and its two marks in a transaction, the check of the purchase, four indexes
	aloneUnits    = 7.9  // write units of the projector for a comment that is projected alone, including changed leaderboard entries
	transactUnits = 2.0  // write units of an item in a transaction
	copies        = 32   // copies of a comment in a power set, each in a transaction
)

const transaction = 50 * time.Millisecond // of the projector: read the statistics, write

// Bytes stored for compressed comments with ids of 26 characters, texts of 180 bytes and the 100
// bytes that DynamoDB adds to each entry.
const (
	storedBytes = 2550.0 // of a comment in the table and its four indexes
	copyBytes   = 480.0  // of a copy in a power set
)

// Prices in US dollars, on demand, in us-east-1.
const (
	writePrice   = 0.625 // a million write units
	readPrice    = 0.125 // a million read units
	storagePrice = 0.25  // a GB of storage a month
	streamPrice  = 0.02  // 100,000 reads of the stream by anything but Lambda
	appsyncPrice = 4.0   // a million operations of AppSync
	serverPrice  = 72.0  // a server a month: 2 vCPU and 4 GB on Fargate
	sendPrice    = 0.09  // a GB sent by servers or AppSync
	cdnPrice     = 0.01  // 10,000 requests to the CDN
	cdnSendPrice = 0.085 // a GB sent by the CDN
)

// The traffic of a large shop in a month.
const (
	monthViews    = 1e9
	monthComments = 5e6
	stored        = 40e6
	peak          = 10.0   // ratio of the busiest second to the average
	serverViews   = 1000.0 // page views a second per server
	answerKB      = 4.0    // a compressed answer
)

const (
	hotProduct = "42" // the product with most page views
)

// ratingShares are the shares of all comments with rating r, at r-1, as in make bench.
var ratingShares = [5]float64{0.12, 0.05, 0.08, 0.20, 0.55}

// boards are the scopes of statistics, with their shares of all comments: any language, and each
// language.
var boards = []struct {
	tag   string
	share float64
}{{"", 1}, {"en", 0.85}, {"de", 0.15}}

// view is a kind of page view, all of the same page.
type view struct {
	share float64         // of all page views
	board int             // scope of the counts that it shows
	from  []key.Partition // partitions of the page
}

// views are the kinds of page views of a product.
var views = func() []view {
	both, rating, all := key.PartitionByLangAndRating, key.PartitionByRating, key.PartitionAll(hotProduct)
	out := []view{
		{0.7, 0, []key.Partition{all}},
		{0.2 * 0.30, 1, []key.Partition{key.PartitionByLang(hotProduct, "en")}},
		{0.2 * 0.25, 1, []key.Partition{both(hotProduct, "en", 4), both(hotProduct, "en", 5)}},
		{0.2 * 0.25, 0, []key.Partition{rating(hotProduct, 1)}},
		{0.2 * 0.20, 0, []key.Partition{rating(hotProduct, 1), rating(hotProduct, 4), rating(hotProduct, 5)}},
	}
	for _, share := range zipf(499, 1) { // up to page 500
		out = append(out, view{0.1 * share, 0, []key.Partition{all}})
	}
	return out
}()

// zipf returns n weights that decrease with their rank and add up to 1.
func zipf(n int, exponent float64) []float64 {
	weights, sum := make([]float64, n), 0.0
	for i := range weights {
		weights[i] = math.Pow(float64(i+1), -exponent)
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}

func productName(rank int) string { return strconv.Itoa(rank + 1) }
