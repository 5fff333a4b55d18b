package orders

import (
	"context"
	"strings"

	"github.com/oklog/ulid/v2"

	"product-comments/store/orders/requests"
	"product-comments/store/table"
)

// erasedPrefix is the prefix of the names that replace erased users.
const erasedPrefix = "erased-"

// ErasedUser returns the name that replaces the user of an erasure in their orders. Such a user
// has no purchases and no profile.
func ErasedUser(erasure ulid.ULID) string { return erasedPrefix + erasure.String() }

func isErasedUser(username string) bool {
	id, ok := strings.CutPrefix(username, erasedPrefix)
	_, err := ulid.ParseStrict(id)
	return ok && err == nil
}

// Erased reports whether the order's user was erased.
func (o *Order) Erased() bool { return isErasedUser(o.Username) }

// Disown changes the user of an order to an ErasedUser. Lines, times and status do not change, and
// later messages are still recorded. The order counts as a purchase of its former user no longer.
// Disown does nothing if the order's user is not from. No other caller may use the same to. The
// call can be repeated.
func (o *Orders) Disown(ctx context.Context, id, from, to string) (did bool, err error) {
	err = o.t.Race(ctx, "erase the user of an order", func() error {
		now, err := o.readConsistent(ctx, id)
		if err != nil || now.revision == 0 || now.Username != from {
			did = now.Username == to // true if an earlier call succeeded, but its answer was lost
			return err
		}
		writes := []table.Write{table.Write{Key: orderKey(from, id), Delete: true}.IfRevision(attrRevision,
			now.revision)}
		if now.Status.counts() {
			writes = append(writes, now.purchases(-1)...)
		}
		if now.asks {
			writes = append(writes, requests.Remove(id))
		}
		now.Username, now.asks, did = to, false, true
		writes = append(writes,
			table.Write{Put: orderItem(&now, o.t.Random().NextRevision(now.revision)), If: table.Absent},
			table.Write{Key: lineKey(id, 0), Update: "SET #user = :user", Names: map[string]string{"#user": attrUser},
				Values: table.Item{":user": table.S(to)}})
		return o.t.Transact(ctx, "write the order", writes...)
	})
	return did && err == nil, err
}
