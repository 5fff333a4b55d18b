package orders

import (
	"context"
	"strings"

	"github.com/oklog/ulid/v2"

	"product-comments/store/table"
)

// nobody begins the names of those who stand for people who were erased.
const nobody = "erased-"

// No one returns who stands for whom an erasure was about. Nothing is anybody's purchase
// by orders of theirs, and they have no profile.
func Nobody(erasure ulid.ULID) string { return nobody + erasure.String() }

func isNobody(username string) bool {
	id, ok := strings.CutPrefix(username, nobody)
	_, err := ulid.ParseStrict(id)
	return ok && err == nil
}

// Disown makes an order of somebody that of Nobody: what was ordered, when, and how far it
// is do not change, and messages about it go on arriving. It is their purchase no more.
// An order that is not theirs is left alone. No one else calls it with the same to. It returns an Unavailable error if the store
// does not answer; to call it again is safe.
func (o *Orders) Disown(ctx context.Context, id, from, to string) (did bool, err error) {
	err = o.t.Race(ctx, "erase whose the order is", func() error {
		now, err := o.standing(ctx, id)
		if err != nil || now.revision == 0 || now.Username != from {
			did = now.Username == to // if the answer was lost
			return err
		}
		writes := []table.Write{table.Write{Key: orderKey(from, id), Delete: true}.IfRevision(attrRevision, now.revision)}
		if now.Status.counts() {
			writes = append(writes, now.purchases(-1)...)
		}
		now.Username, did = to, true
		writes = append(writes,
			table.Write{Put: orderItem(&now, o.t.Random().NextRevision(now.revision)), If: table.Absent},
			table.Write{Key: lineKey(id, 0), Update: "SET #user = :user", Names: map[string]string{"#user": attrUser}, Values: table.Item{":user": table.S(to)}})
		return o.t.Transact(ctx, "write the order", writes...)
	})
	return did && err == nil, err
}
