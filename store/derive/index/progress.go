package index

import (
	"context"
	"fmt"
	"time"

	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Attributes of the item that stores the progress of a backfill.
const (
	attrRevision = "rev"     // N, different after every step
	attrSince    = "since"   // N, seconds since 1970: when a projector first saw the backfill
	attrSettled  = "settled" // BOOL: every process knows the target
	attrTarget   = "version" // S, the target
	attrChecking = "check"   // BOOL: all comments were touched and are being compared with their entries
	attrAt       = "at"      // S, GSISK of the last comment that was handled
	attrDone     = "done"    // N, comments handled so far
	attrCounted  = "counted" // N, projected comments at the time when all were touched
	attrRemoving = "remove"  // BOOL: entries are being removed
	attrFailed   = "failed"  // S, why the last step failed
)

// Progress is the progress of the backfill of a product. For a group, it says that the group has
// yet to be divided into backfills of its products.
type Progress struct {
	Product string // empty for a group's
	Group   string
	// Since is when a projector first saw the backfill, by that projector's clock; zero if none
	// has.
	Since time.Time
	// Settled is true when every process knows the target.
	Settled bool
	// Checking is true when all comments were touched and are being compared with their entries.
	Checking bool
	Removing bool   // the index is disabled, and its entries are being removed
	Comments int    // number of comments touched, compared, or without entries now
	Failed   string // why the last step failed; it is tried again

	target   string
	at       string
	counted  int
	revision int
	item     table.Item // as read
}

// State returns the state of the index for the product.
func (p Progress) State() settings.IndexState {
	switch {
	case p.Failed != "":
		return settings.IndexFailed
	case p.Removing:
		return settings.IndexDisabled
	}
	return settings.IndexBuilding
}

// String describes the progress in a sentence without a full stop.
func (p Progress) String() string {
	switch {
	case p.Failed != "":
		return "the last try failed: " + p.Failed
	case p.Group != "":
		return fmt.Sprintf("the products of group %q are being listed", p.Group)
	case p.Since.IsZero():
		return "no projector has begun it yet"
	case p.Removing:
		return fmt.Sprintf("comments whose entries were removed: %d", p.Comments)
	case p.Checking && p.at == "":
		return fmt.Sprintf("comments written: %d, and about to be compared", p.Comments)
	case p.Checking:
		return fmt.Sprintf("comments compared: %d, all are written", p.Comments)
	}
	return fmt.Sprintf("comments written so far: %d", p.Comments)
}

// Begin returns the write that begins a backfill of a product, or the removal of its entries. It
// replaces a backfill that is under way.
func (b *Backfill) Begin(product string, removing bool) table.Write {
	w := BeginBackfill(b.Table, b.Partition, key.Product(product))
	if removing {
		w.Put[attrRemoving] = table.Bool(true)
	}
	return w
}

// BeginBackfill returns the write that begins a backfill of a product or group, given its partition
// key. The backfill is stored in partition and replaces one that is under way.
func BeginBackfill(t *table.Table, partition, of string) table.Write {
	it := table.KeyOf(partition, of)
	it[attrRevision] = table.N(t.Random().NextRevision(0))
	return table.Write{Put: it}
}

// fields are the attributes of the item besides its keys.
func (p *Progress) fields() table.Fields {
	return table.Fields{
		attrRevision: &p.revision, attrSince: &p.Since, attrSettled: &p.Settled, attrTarget: &p.target, attrChecking: &p.Checking,
		attrAt: &p.at, attrDone: &p.Comments, attrCounted: &p.counted, attrRemoving: &p.Removing, attrFailed: &p.Failed,
	}
}

// parseProgress reads the item of a backfill.
func parseProgress(it table.Item) (p Progress, err error) {
	p.item = it
	if err := table.Read(it, p.fields()); err != nil {
		return p, err
	}
	scope, ok := table.Text(it, key.SK), true
	if p.Group, ok = key.ParseAttributeGroup(scope); !ok {
		p.Product, ok = key.ProductID(scope)
	}
	if !ok {
		return p, table.Damaged(it, fmt.Errorf("it names neither a product nor a group"))
	}
	return p, nil
}

// save stores the progress of a backfill. ok is false if another process has changed it: that
// process continues the backfill, or has begun it again.
func (b *Backfill) save(ctx context.Context, p *Progress) (ok bool, err error) {
	it := table.Primary(p.item)
	table.Set(it, p.fields())
	it[attrDone] = table.N(p.Comments)
	p.item = it
	p.revision, ok, err = b.Table.Note(ctx, "store the progress of a backfill", it, attrRevision, p.revision)
	return ok, err
}

// ended returns the removal of a backfill's item, on the condition that it has not changed since it
// was read.
func (p *Progress) ended() table.Write {
	return table.Write{Key: table.Primary(p.item), Delete: true}.Unchanged(p.item, attrRevision)
}

// All returns all backfills that are under way.
func (b *Backfill) All(ctx context.Context) (all []Progress, err error) {
	err = b.Table.Each(ctx, key.Partition{Index: key.Table, Value: b.Partition}, func(it table.Item) error {
		p, err := parseProgress(it)
		all = append(all, p)
		return err
	})
	return all, err
}

// Progress returns the progress of the backfill of a product; ok is false if none is under way.
func (b *Backfill) Progress(ctx context.Context, product string) (p Progress, ok bool, err error) {
	it, err := b.Table.Get(ctx, "the progress of a backfill", table.KeyOf(b.Partition, key.Product(product)))
	if err != nil || it == nil {
		return p, false, err
	}
	p, err = parseProgress(it)
	return p, true, err
}

// IsCurrent reports whether a backfill has not changed since it was read.
func (b *Backfill) IsCurrent(ctx context.Context, p Progress) (bool, error) {
	now, ok, err := b.Progress(ctx, p.Product)
	return ok && now.revision == p.revision, err
}
