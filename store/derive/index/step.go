package index

import (
	"context"
	"errors"
	"slices"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/table"
)

// outcome is the outcome of a step of a backfill.
type outcome int

const (
	ended  outcome = iota // the backfill is done or failed, or another process is faster
	moved                 // there is more to do
	waits                 // for the projector
	behind                // the list lacks comments that were counted: another pass begins
)

// step continues a backfill by a page of comments. It stores an error in the progress unless that
// is Unavailable or Conflict. The next step tries again.
func (b *Backfill) step(ctx context.Context, p *Progress) (did outcome, err error) {
	switch {
	case p.Group != "":
		did, err = ended, b.divideGroup(ctx, p)
	case p.Removing:
		did, err = b.remove(ctx, p)
	default:
		did, err = b.build(ctx, p)
	}
	if code := errs.CodeOf(err); err != nil && code != errs.Unavailable && code != errs.Conflict &&
		ctx.Err() == nil && p.Failed != err.Error() {
		p.Failed = err.Error()
		_, saveErr := b.save(ctx, p)
		err = errors.Join(err, saveErr)
	}
	return did, err
}

// remove removes the entries of the next comments.
func (b *Backfill) remove(ctx context.Context, p *Progress) (outcome, error) {
	n, err := b.Remove(ctx, p.Product)
	if err != nil {
		return ended, err
	}
	if n == 0 {
		return ended, b.end(ctx, p)
	}
	p.Comments += n
	return b.moved(ctx, p)
}

// moved stores the progress after a step.
func (b *Backfill) moved(ctx context.Context, p *Progress) (outcome, error) {
	p.Failed = ""
	if ok, err := b.save(ctx, p); err != nil || !ok {
		return ended, err
	}
	return moved, nil
}

// end ends the backfill, unless another process was faster.
func (b *Backfill) end(ctx context.Context, p *Progress) error {
	err := b.End(ctx, *p, p.target, p.ended())
	if _, other := table.IsRefused(err); other {
		return nil
	}
	return err
}

// build touches the next comments that have not reached the target, or checks that the next
// comments have all their entries.
func (b *Backfill) build(ctx context.Context, p *Progress) (outcome, error) {
	target, err := b.Target(ctx, p.Product)
	if err != nil {
		return ended, err
	}
	if target != p.target || p.at == "" && !p.Checking {
		p.target, p.at, p.Checking, p.Comments = target, "", false, 0
	}
	if p.Checking && p.at == "" {
		p.Comments = 0
	}
	all := key.PartitionAll(p.Product)
	q := table.Query{Partition: all, Descending: true, Limit: backfillPage}
	if at, ok := key.ParseSortKey(p.at); ok {
		q.After = all.StartKey(p.at, at.CommentID)
	}
	items, next, err := b.Table.Query(ctx, q)
	if err != nil {
		return ended, err
	}
	lacking, err := b.touchMissing(ctx, p, items)
	switch {
	case err != nil:
		return ended, err
	case lacking > 0 && p.Checking:
		return waits, nil
	case next == nil && p.Checking && p.Comments+len(items) < p.counted:
		p.at, p.Checking = "", false
		_, err := b.moved(ctx, p)
		return behind, err
	case next == nil && p.Checking:
		return ended, b.end(ctx, p)
	case next == nil:
		if p.at, p.Checking = "", true; b.Counted != nil {
			if p.counted, err = b.Counted(ctx, p.Product); err != nil {
				return ended, err
			}
		}
	default:
		p.at = table.Text(items[len(items)-1], key.GSISK)
	}
	p.Comments += len(items)
	return b.moved(ctx, p)
}

// touchMissing touches the comments that have not reached the target and, during the final check,
// also the comments with missing entries. It returns their number.
func (b *Backfill) touchMissing(ctx context.Context, p *Progress, items []table.Item) (n int, err error) {
	ids := make([]string, len(items))
	for i, it := range items {
		ids[i], _ = key.CommentID(table.Text(it, key.PK))
	}
	var stale, reached []*Image
	err = item.EachOf(ctx, b.Table, ids, func(it table.Item, comment *item.Stored) error {
		if Published(comment) != p.Product {
			return nil
		}
		im := &Image{Stored: *comment, Item: it}
		if b.Reached(im, p.target) {
			reached = append(reached, im)
		} else {
			stale = append(stale, im)
		}
		return nil
	})
	if err == nil && b.Untouched {
		stale, err = b.unwritten(ctx, stale, p.target)
	}
	if err == nil && len(stale) > 0 {
		err = b.Touch(ctx, stale, p.target)
	}
	if err != nil || !p.Checking || p.target == "" {
		return len(stale), err
	}
	reached, err = b.unwritten(ctx, reached, p.target)
	return len(stale) + len(reached), err
}

// unwritten returns the comments with entries that were not written under the target.
func (b *Backfill) unwritten(ctx context.Context, comments []*Image, target string) ([]*Image, error) {
	t, written := b.Table, map[Key]bool{}
	if b.In == key.Columns {
		t = t.Columns()
	}
	keys := make([]table.Item, len(comments))
	for i, im := range comments {
		keys[i] = b.Key(im).Item(b.In)
	}
	err := t.GetMany(ctx, keys, true, func(it table.Item) error {
		at := Key{PK: table.Text(it, key.PK), SK: table.Text(it, key.SK)}
		if b.In == key.Columns {
			at.SK = string(table.Bytes(it, key.SK))
		}
		written[at] = b.Written(it, target)
		return nil
	})
	return slices.DeleteFunc(comments, func(im *Image) bool { return written[b.Key(im)] }), err
}

// divideGroup replaces the backfill of a group by a backfill of each of its products.
func (b *Backfill) divideGroup(ctx context.Context, p *Progress) error {
	err := b.Table.Each(ctx, key.Partition{Index: key.Table, Value: key.AttributeGroup(p.Group)}, func(it table.Item) error {
		product, ok := key.ProductID(table.Text(it, key.SK))
		if !ok {
			return nil
		}
		return b.Table.Write(ctx, "begin a backfill", b.Begin(product, false))
	})
	if err != nil {
		return err
	}
	err = b.Table.Write(ctx, "end a backfill", p.ended())
	if _, other := table.IsRefused(err); other { // the definitions of the group have changed again
		return nil
	}
	return err
}
