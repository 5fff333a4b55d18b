package orders

import (
	"context"

	"product-comments/store/table"
)

// Disown makes an order that of another user, who stands for nobody: what was ordered,
// when, and how far it is stay as they are, and messages about it go on arriving. Its
// purchases count for that user from then on; the marks of the former are left, for
// whoever removes all that is kept about them. An order that is not the former's is left
// alone. It returns an Unavailable error if the store does not answer; to call it again is
// safe.
func (o *Orders) Disown(ctx context.Context, id, from, to string) (did bool, err error) {
	for pause := o.t.NewRace(); ; {
		now, err := o.standing(ctx, id)
		if err != nil || now.revision == 0 || now.Username != from {
			return false, err
		}
		revision := now.revision
		now.Username, now.revision = to, o.t.Random().NextRevision(revision)
		writes := []table.Write{
			table.Write{Key: orderKey(from, id), Delete: true}.IfRevision(attrRevision, revision),
			{Put: orderItem(&now, now.revision), If: table.Absent},
			{Key: lineKey(id, 0), Update: "SET #user = :user", Names: map[string]string{"#user": attrUser}, Values: table.Item{":user": table.S(to)}},
		}
		since, err := o.since(ctx, &now)
		if err != nil {
			return false, err
		}
		err = o.write(ctx, append(append(writes, now.marks(0)...), since...))
		if _, changed := table.IsRefused(err); !changed {
			return err == nil, err
		}
		if err := pause.Wait(ctx); err != nil {
			return false, table.Failed("erase whose the order is", err)
		}
	}
}
