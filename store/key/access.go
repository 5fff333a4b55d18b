package key

import (
	"cmp"
	"strings"
)

// Access is the purpose of a call to DynamoDB: one of the access patterns of the design, or
// maintenance of the table. Operators see its string.
type Access string

// The access patterns, and other reads and writes. AP6, the next page of a list, is a read of
// the list's own pattern; AP9 and AP10, totals, are in the items of AP7 and AP8.
const (
	AccessOther           Access = ""            // calls about the whole table, and everything else
	AccessAll             Access = "AP1"         // AP1: all comments of a product
	AccessByLang          Access = "AP2"         // AP2: one language
	AccessByLangAndRating Access = "AP3a"        // AP3a: one language, some ratings
	AccessByRating        Access = "AP3b"        // AP3b: any language, some ratings
	AccessComment         Access = "AP4"         // AP4: comments by id, and the writes that create or change them
	AccessDelete          Access = "AP5"         // AP5
	AccessCounts          Access = "AP7"         // AP7: counts of a product
	AccessCountsByLang    Access = "AP8"         // AP8: counts of one language
	AccessLeaders         Access = "AP11"        // AP11: a leaderboard
	AccessPowerSet        Access = "power-set"   // copies of comments, one for each set of ratings
	AccessPlaces          Access = "places"      // leaderboard places that are due to be written
	AccessIdempotency     Access = "idempotency" // the comment of an idempotency key
	AccessCheckpoint      Access = "checkpoint"  // how far the stream is projected
	AccessSettings        Access = "settings"    // the table's settings
	AccessWrote           Access = "wrote"       // a user's comments about a product
	AccessColumns         Access = "AP12"        // AP12: comments by the value of an attribute
	AccessDefinitions     Access = "definitions" // definitions of attributes
	AccessProfile         Access = "A1"          // A1: a user's profile
	AccessOrders          Access = "A2"          // A2: a user's orders
	AccessOrder           Access = "A3"          // A3: one order with its lines
	AccessOrdersByStatus  Access = "A4"          // A4 to A6: a user's orders by status and time
	AccessOpenOrders      Access = "A5"          // A5: the open orders of all users
	AccessBought          Access = "bought"      // whether a user bought a product
	AccessAuthored        Access = "authored"    // a user's comments by state and time
	AccessQueue           Access = "queue"       // the moderation queue, and its counts and those by month
	AccessCase            Access = "case"        // a comment's decisions and reports, and the times of its author's recent comments
	AccessOutbox          Access = "outbox"      // events that leave the table, and their endpoints
	AccessRequests        Access = "requests"    // review requests, their counts, and opt-outs
	AccessPhotos          Access = "photos"      // records of photos, which are due to be deleted, and comments with photos
	AccessScan            Access = "scan"        // the table, or an index, item by item
)

// String returns the name.
func (a Access) String() string { return cmp.Or(string(a), "other") }

// accesses are the accesses of items whose keys begin so. The first that applies counts.
var accesses = []struct {
	in     Index
	pk, sk string
	of     Access
}{
	{All, queuePrefix, "", AccessQueue}, {All, photosPrefix, "", AccessPhotos}, {All, "", "", AccessAll},
	{ByRating, queuePrefix, "", AccessQueue}, {ByRating, "", "", AccessByRating},
	{ByLang, queuePrefix, "", AccessQueue},
	{ByLang, placesPrefix, "", AccessPlaces},
	{ByLang, userPrefix, "", AccessOrders},
	{ByLang, "", "", AccessByLang},
	{ByLangAndRating, queuePrefix, "", AccessQueue},
	{ByLangAndRating, leaders, "", AccessLeaders},
	{ByLangAndRating, scores, "", AccessLeaders},
	{ByLangAndRating, orderPrefix, "", AccessOrder},
	{ByLangAndRating, "", "", AccessByLangAndRating},
	{Columns, "", "", AccessColumns},
	{OrdersByStatus, "", "", AccessOrdersByStatus},
	{Open, requestsPrefix, "", AccessRequests}, {Open, productPrefix, "", AccessPhotos}, {Open, "", "", AccessOpenOrders},
	{Table, AttributeFills, "", AccessDefinitions},
	{Table, attributeGroupPrefix, "", AccessDefinitions},
	{Table, commentPrefix, "", AccessComment},
	{Table, casePrefix, "", AccessCase},
	{Table, casesPrefix, "", AccessQueue}, {Table, monthsPrefix, "", AccessQueue},
	{Table, idempotencyPrefix, "", AccessIdempotency},
	{Table, checkpointPrefix, "", AccessCheckpoint},
	{Table, metaPrefix, "", AccessSettings},
	{Table, columnPrefix, "", AccessColumns},
	{Table, outboxPrefix, "", AccessOutbox}, {Table, endpointPrefix, "", AccessOutbox}, {Table, Endpoints, "", AccessOutbox},
	{Table, requestPrefix, "", AccessRequests}, {Table, monthPrefix, "", AccessRequests}, {Table, optOutPrefix, "", AccessRequests},
	{Table, photoPrefix, "", AccessPhotos},
	{Table, PowerSetFills, "", AccessPowerSet},
	{Table, orderPrefix, "", AccessOrder},
	{Table, userPrefix, Profile, AccessProfile},
	{Table, userPrefix, orderPrefix, AccessOrders},
	{Table, userPrefix, boughtPrefix, AccessBought},
	{Table, userPrefix, authoredPrefix, AccessAuthored},
	{Table, userPrefix, PaceSK, AccessCase},
	{Table, userPrefix, "", AccessWrote},
	{Table, productPrefix, AttributesSK, AccessDefinitions},
	{Table, productPrefix, ModesSK, AccessCase},
	{Table, productPrefix, ColumnsSK, AccessColumns},
	{Table, productPrefix, PowerSetSK, AccessPowerSet},
	{Table, productPrefix, scoreSK, AccessLeaders},
	{Table, productPrefix, statisticsSK + "#", AccessCountsByLang},
	{Table, productPrefix, "", AccessCounts},
}

// AccessOf returns the access of items with a partition key and, in the table itself, a sort
// key; "" if unknown.
func AccessOf(in Index, partition, sort string) Access {
	if in == Table && strings.HasPrefix(partition, productPrefix) && strings.Contains(partition, "/") {
		return AccessPowerSet
	}
	for _, a := range accesses {
		if in == a.in && strings.HasPrefix(partition, a.pk) && strings.HasPrefix(sort, a.sk) {
			return a.of
		}
	}
	return AccessOther
}
