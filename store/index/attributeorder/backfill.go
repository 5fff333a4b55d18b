package attributeorder

import (
	"context"
	"fmt"
	"time"

	"product-comments/store/derive/index"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// attrFilled is an attribute of the item key.ColumnsSK, S: the version that all comments of the
// product have reached.
const attrFilled = "filled"

// backfillOf returns the backfill of the attribute index after changes of definitions.
func backfillOf(x *Index) *index.Backfill {
	return &index.Backfill{
		Table: x.t, Settings: x.settings, Partition: key.AttributeFills, In: key.Columns,
		Wanted: func(now settings.Settings) bool { return now.Attributes },
		Target: func(ctx context.Context, product string) (string, error) {
			d, err := x.definitions.Definitions(ctx, product)
			if err != nil {
				return "", err
			}
			return d.Version(), nil
		},
		Reached: func(im *index.Image, target string) bool { return im.Defined == target },
		Touch: func(ctx context.Context, comments []*index.Image, _ string) error {
			return x.touchStale(ctx, comments)
		},
		Key:     helpfulKey,
		Written: func(entry table.Item, target string) bool { return table.Text(entry, attrVersion) == target },
		End: func(ctx context.Context, of index.Progress, target string, with table.Write) error {
			state := table.Write{Key: stateKey(of.Product), Delete: true}
			if target != "" {
				it := stateKey(of.Product)
				it[attrFilled] = table.S(target)
				state = table.Write{Put: it}
			}
			return x.t.Transact(ctx, "end a backfill", state, with)
		},
	}
}

// Backfill returns the backfill of the attribute index after changes of definitions.
func (x *Index) Backfill() *index.Backfill { return x.backfill }

// Pause implements index.Maintained.
func (x *Index) Pause() time.Duration { return index.BackfillPause }

// Maintain continues the backfills.
func (x *Index) Maintain(ctx context.Context) error { return x.backfill.Maintain(ctx) }

// reached is the version that all comments of a product have reached, "" for none, and the time
// of the read.
type reached struct {
	version string
	at      time.Time
}

// reachedAge is how long the version of a backfill under way is cached, for callers that can
// read a list nevertheless.
const reachedAge = 2 * time.Second

// filled returns the version that all comments of a product have reached. If it equals want it
// is cached indefinitely. known is true for a cached version.
func (x *Index) filled(ctx context.Context, product, want string) (has reached, known bool, err error) {
	has, ok := x.reached.Get(product)
	if ok && (has.version == want || x.t.Now().Sub(has.at) < reachedAge) {
		return has, true, nil
	}
	at := x.t.Now()
	it, err := x.t.Get(ctx, "the progress of an attribute index", stateKey(product))
	if err != nil {
		return reached{}, false, err
	}
	has = reached{table.Text(it, attrFilled), at}
	if has.version == want {
		x.reached.Add(product, has)
	}
	return has, false, nil
}

func stateKey(product string) table.Item { return table.KeyOf(key.Product(product), key.ColumnsSK) }

// unready returns the error with the progress of a product's attribute index. If no backfill is
// under way, unready begins one.
func (x *Index) unready(ctx context.Context, product string) error {
	p, ok, err := x.backfill.Progress(ctx, product)
	if err != nil {
		return err
	}
	if !ok {
		w := x.backfill.Begin(product, false)
		w.If = table.Absent
		err := x.t.Write(ctx, "begin a backfill", w)
		if _, other := table.IsRefused(err); err != nil && !other {
			return err
		}
	}
	why := errs.Wrap(errs.Unavailable, ErrPart, "The index of this attribute is being built, %s", p)
	settles := x.backfill.Settles(&p)
	why.RetryAfter = index.BackfillPause + settles
	switch {
	case p.Since.IsZero():
		why.RetryAfter += index.BackfillPause
	case settles > 0:
		why.Message += ", and none will be until every process knows the new definitions"
	}
	why.Message += fmt.Sprintf(": try again in about %d seconds", int(why.RetryAfter.Seconds()))
	return why
}
