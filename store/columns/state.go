package columns

import (
	"context"
	"fmt"
	"time"

	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Attributes of the item that says how far a product's columns are, key.ColumnsSK, and
// of a fill, in the partition key.AttributeFills.
const (
	attrFilled   = "filled"  // S, the version that all comments have reached
	attrRevision = "rev"     // N, another one with every step of a fill
	attrSince    = "since"   // N, seconds since 1970: when it was first seen
	attrSettled  = "settled" // BOOL: every process knows the definitions
	attrTarget   = "version" // S, that comments are brought to
	attrChecking = "check"   // BOOL: all were touched, and are compared with their entries
	attrAt       = "at"      // S, GSISK of the comment that was the last one
	attrDone     = "done"    // N, comments behind it
)

// Fill is how far the comments of a product have been brought to its definitions, or
// that it is still to be found out which products of a group there are.
type Fill struct {
	Product string // empty for a group's
	Group   string
	// Since is when a projector saw it first, by the clock of that, zero if none has.
	Since time.Time
	// Settled is true when every process knows the definitions.
	Settled bool
	// Checking is true when all comments were touched, and it remains to compare
	// them with their entries.
	Checking bool
	Comments int // that were touched, or compared

	target   string
	at       string
	revision int
	item     table.Item // as it was read
}

// String says how far it is, in a sentence without its end.
func (f Fill) String() string {
	switch {
	case f.Group != "":
		return fmt.Sprintf("the products of group %q are being looked for", f.Group)
	case f.Since.IsZero():
		return "no projector has begun it yet"
	case f.Checking:
		return fmt.Sprintf("comments compared: %d, all are written", f.Comments)
	}
	return fmt.Sprintf("comments written so far: %d", f.Comments)
}

func fillKey(scope string) table.Item { return table.KeyOf(key.AttributeFills, scope) }

// newFill returns the beginning of a fill, in place of one that is under way.
func (c *Columns) newFill(scope string) table.Write {
	it := fillKey(scope)
	it[attrRevision] = table.N(c.t.Random().NextRevision(0))
	return table.Write{Put: it}
}

// parseFill reads a fill's item.
func parseFill(it table.Item) (f Fill, err error) {
	f = Fill{target: table.Text(it, attrTarget), at: table.Text(it, attrAt), Settled: table.IsTrue(it, attrSettled), Checking: table.IsTrue(it, attrChecking), item: it}
	scope := table.Text(it, key.SK)
	ok := true
	if f.Group, ok = key.ParseAttributeGroup(scope); !ok {
		f.Product, ok = key.ProductID(scope)
	}
	if !ok {
		return f, table.Damaged(it, fmt.Errorf("it is of no product and no group"))
	}
	var since int
	if err := table.Numbers(it, map[string]*int{attrRevision: &f.revision, attrSince: &since, attrDone: &f.Comments}); err != nil {
		return f, err
	}
	if since > 0 {
		f.Since = time.Unix(int64(since), 0)
	}
	return f, nil
}

// save writes a fill as it is now, unless somebody else has changed it. ok is false
// then: others carry it on, or it began anew.
func (c *Columns) save(ctx context.Context, f *Fill) (ok bool, err error) {
	it := table.Primary(f.item)
	f.revision = c.t.Random().NextRevision(f.revision)
	it[attrRevision], it[attrDone] = table.N(f.revision), table.N(f.Comments)
	if !f.Since.IsZero() {
		it[attrSince] = table.N(int(f.Since.Unix()))
	}
	if f.Settled {
		it[attrSettled] = table.Bool(true)
	}
	if f.target != "" {
		it[attrTarget] = table.S(f.target)
	}
	if f.at != "" {
		it[attrAt] = table.S(f.at)
	}
	if f.Checking {
		it[attrChecking] = table.Bool(true)
	}
	err = c.t.Write(ctx, "note how far a fill is", table.Write{Put: it, If: table.Exists}.Unchanged(f.item, attrRevision))
	if _, other := table.IsRefused(err); other {
		return false, nil
	}
	f.item = it
	return err == nil, err
}

// Fills returns all fills that are under way. It returns an Unavailable error if the
// store does not answer.
func (c *Columns) Fills(ctx context.Context) (fills []Fill, err error) {
	err = c.t.Each(ctx, key.Partition{Index: key.Table, Value: key.AttributeFills}, func(it table.Item) error {
		f, err := parseFill(it)
		fills = append(fills, f)
		return err
	})
	return fills, err
}

// reached is the version that all comments of a product have reached, "" for none, and
// when that was read.
type reached struct {
	version string
	at      time.Time
}

// reachedAge is how long it is not asked again, by those who can read an order all the
// same, how far comments are that are being brought along.
const reachedAge = 2 * time.Second

// filled returns the version that all comments of a product have reached. Once it is
// the wanted one it stays for as long as that is wanted. known is true if it is as it
// was a moment ago.
func (c *Columns) filled(ctx context.Context, product, want string) (has reached, known bool, err error) {
	has, ok := c.reached.Get(product)
	if ok && (has.version == want || c.t.Now().Sub(has.at) < reachedAge) {
		return has, true, nil
	}
	at := c.t.Now()
	it, err := c.t.Get(ctx, "how far columns are", stateKey(product))
	if err != nil {
		return reached{}, false, err
	}
	has = reached{table.Text(it, attrFilled), at}
	if has.version == want {
		c.reached.Add(product, has)
	}
	return has, false, nil
}

func stateKey(product string) table.Item { return table.KeyOf(key.Product(product), key.ColumnsSK) }

// unready tells how far the columns of a product are. If nobody fills them, such as
// in a copy that an earlier version made, it begins that.
func (c *Columns) unready(ctx context.Context, product string) error {
	it, err := c.t.Get(ctx, "how far a fill is", fillKey(key.Product(product)))
	if err != nil {
		return err
	}
	if it == nil {
		w := c.newFill(key.Product(product))
		it, w.If = w.Put, table.Absent
		err := c.t.Write(ctx, "begin a fill", w)
		if _, other := table.IsRefused(err); err != nil && !other {
			return err
		}
	}
	f, err := parseFill(it)
	if err != nil {
		return err
	}
	why := errs.Errorf(errs.Unavailable, "The order by this attribute is being made, %s", f)
	why.RetryAfter = maintainPause + c.settles(&f)
	switch {
	case f.Since.IsZero():
		why.RetryAfter += maintainPause
	case c.settles(&f) > 0:
		why.Message += ", and none will be until every process knows the new definitions"
	}
	why.Message += fmt.Sprintf(": try again in about %d seconds", int(why.RetryAfter.Seconds()))
	return why
}
