package key

import "strings"

// Access is the purpose of a call to DynamoDB: one of the access patterns of the design, or
// maintenance of the table. Operators see its string.
type Access uint8

// The access patterns, and other reads and writes. AP6, the next page of a list, is a read of
// the list's own pattern; AP9 and AP10, totals, are in the items of AP7 and AP8.
const (
	AccessOther           Access = iota // calls about the whole table, and everything else
	AccessAll                           // AP1: all comments of a product
	AccessByLang                        // AP2: one language
	AccessByLangAndRating               // AP3a: one language, some ratings
	AccessByRating                      // AP3b: any language, some ratings
	AccessComment                       // AP4: comments by id, and the writes that create or change them
	AccessDelete                        // AP5
	AccessCounts                        // AP7: counts of a product
	AccessCountsByLang                  // AP8: counts of one language
	AccessLeaders                       // AP11: a leaderboard
	AccessPowerSet                      // copies of comments, one for each set of ratings
	AccessPlaces                        // leaderboard places that are due to be written
	AccessIdempotency                   // the comment of an idempotency key
	AccessCheckpoint                    // how far the stream is projected
	AccessSettings                      // the table's settings
	AccessWrote                         // a user's comments about a product
	AccessColumns                       // AP12: comments by the value of an attribute
	AccessDefinitions                   // definitions of attributes
	AccessProfile                       // A1: a user's profile
	AccessOrders                        // A2: a user's orders
	AccessOrder                         // A3: one order with its lines
	AccessOrdersByStatus                // A4 to A6: a user's orders by status and time
	AccessOpenOrders                    // A5: the open orders of all users
	AccessBought                        // whether a user bought a product
	AccessAuthored                      // a user's comments by state and time
	AccessQueue                         // the moderation queue, and its counts
	AccessCase                          // a comment's decisions and reports, and the times of its author's recent comments
	AccessScan                          // the table, or an index, item by item
	Accesses                            // the number of accesses
)

var accessNames = [Accesses]string{
	"other", "AP1", "AP2", "AP3a", "AP3b", "AP4", "AP5", "AP7", "AP8", "AP11",
	"power-set", "places", "idempotency", "checkpoint", "settings", "wrote", "AP12", "definitions",
	"A1", "A2", "A3", "A4", "A5", "bought", "authored", "queue", "case", "scan",
}

// String returns the name.
func (a Access) String() string {
	if a >= Accesses {
		return accessNames[AccessOther]
	}
	return accessNames[a]
}

// AccessOf returns the access of items with a partition key and, in the table itself, a sort
// key; "" if unknown.
func AccessOf(in Index, partition, sort string) Access {
	if in != Table && InQueue(partition) {
		return AccessQueue
	}
	switch in {
	case All:
		return AccessAll
	case ByRating:
		return AccessByRating
	case ByLang:
		if strings.HasPrefix(partition, placesPrefix) {
			return AccessPlaces
		}
		if strings.HasPrefix(partition, userPrefix) {
			return AccessOrders
		}
		return AccessByLang
	case ByLangAndRating:
		if (Partition{in, partition}).ranked() {
			return AccessLeaders
		}
		if strings.HasPrefix(partition, orderPrefix) {
			return AccessOrder
		}
		return AccessByLangAndRating
	case Table:
		return accessOfItem(partition, sort)
	case Columns:
		return AccessColumns
	case OrdersByStatus:
		return AccessOrdersByStatus
	case Open:
		return AccessOpenOrders
	}
	return AccessOther
}

func accessOfItem(partition, sort string) Access {
	switch {
	case IsAttributes(partition, sort):
		return AccessDefinitions
	case strings.HasPrefix(partition, commentPrefix):
		return AccessComment
	case strings.HasPrefix(partition, casePrefix), sort == ModesSK:
		return AccessCase
	case IsCasePart(partition):
		return AccessQueue
	case strings.HasPrefix(partition, idempotencyPrefix):
		return AccessIdempotency
	case strings.HasPrefix(partition, checkpointPrefix):
		return AccessCheckpoint
	case strings.HasPrefix(partition, metaPrefix):
		return AccessSettings
	case strings.HasPrefix(partition, columnPrefix), sort == ColumnsSK:
		return AccessColumns
	case partition == PowerSetFills:
		return AccessPowerSet
	case strings.HasPrefix(partition, orderPrefix):
		return AccessOrder
	case strings.HasPrefix(partition, userPrefix):
		return accessOfPerson(sort)
	case !strings.HasPrefix(partition, productPrefix):
		return AccessOther
	case strings.Contains(partition, "/"), sort == PowerSetSK:
		return AccessPowerSet
	case strings.HasPrefix(sort, scoreSK):
		return AccessLeaders
	case strings.HasPrefix(sort, statisticsSK+"#"):
		return AccessCountsByLang
	}
	return AccessCounts
}

func accessOfPerson(sort string) Access {
	switch {
	case sort == Profile:
		return AccessProfile
	case strings.HasPrefix(sort, orderPrefix):
		return AccessOrders
	case strings.HasPrefix(sort, boughtPrefix):
		return AccessBought
	case strings.HasPrefix(sort, authoredPrefix):
		return AccessAuthored
	case strings.HasPrefix(sort, PaceSK):
		return AccessCase
	}
	return AccessWrote
}
