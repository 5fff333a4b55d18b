// Package upgrade takes a table from one format to the next while servers of both serve it.
//
// A step looks at every item twice. In the first pass servers of the format before write as
// always, so they may change what it has converted. Then the table's number rises: after the
// SettleTime of the settings such servers write nothing, none is ready and none starts. The
// second pass converts what they wrote since.
//
// Servers of the format before read what a step makes of an item; a change that they cannot
// read is two steps, of two versions. Servers of the new format read items of both until the
// table has the new number and no Upgrade, and write the new form once an upgrade is under
// way.
package upgrade

import (
	"context"
	"fmt"

	"product-comments/store/errs"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Step takes a table from one format to the next.
type Step struct {
	What string // it does, a sentence without its full stop
	// Ready returns why the table cannot be upgraded now; nil if nothing can be in the way.
	Ready func(context.Context, *table.Table) error
	// Convert returns the write that takes an item to the new format. The write must be
	// conditional on what it follows from. ok is false for an item that needs none. It is
	// nil if no item does: then there is nothing to look at.
	Convert func(table.Item) (w table.Write, ok bool)
}

// Steps are those of this version: the first takes a table of format 1 to format 2.
var Steps = []Step{{What: "count comments by kind, and number pages of products once they are rebuilt"}}

// Upgrade is the upgrade of one table. It may be stopped at any time: another one continues.
type Upgrade struct {
	Table    *table.Table
	Settings *settings.Store // of a process that knows the last step's format
	Steps    []Step
	Rate     float64           // most capacity units a second; 0 is without bound
	Progress func(items int64) // gets now and then how many items a pass has read; may be nil
}

// Pending returns the steps that are not done, in their order. It returns an Unavailable
// error if the store does not answer.
func (u *Upgrade) Pending(ctx context.Context) ([]Step, error) {
	now, err := u.Settings.Read(ctx)
	if err != nil || now.Revision == 0 { // nothing was ever written to it
		return nil, err
	}
	return u.Steps[baseFormat(now)-1:], nil
}

// baseFormat returns the format that a table is to be taken from next.
func baseFormat(now settings.Settings) int {
	if now.Upgrade == now.Format {
		return now.Format - 1
	}
	return now.Format
}

// Make makes the first of the pending steps. It returns a Conflict error if the table is
// not ready or another process is upgrading it, and Unavailable if the store does not
// answer. After either it can be called again.
func (u *Upgrade) Make(ctx context.Context) error {
	ctx = table.Patiently(ctx)
	now, err := u.Settings.Read(ctx)
	if err != nil {
		return err
	}
	n := baseFormat(now)
	step := u.Steps[n-1]
	for _, phase := range []struct{ format, upgrade int }{{n, 0}, {n, n + 1}, {n + 1, n + 1}} {
		if phase.format < now.Format || phase.upgrade < now.Upgrade {
			continue
		}
		if step.Ready != nil {
			if err := step.Ready(ctx, u.Table); err != nil {
				return errs.Wrap(errs.Conflict, err, "Table %q cannot be upgraded to format %d now", u.Table.Name(), n+1)
			}
		}
		if phase.upgrade > 0 {
			if err := u.pass(ctx, step, phase.format); err != nil {
				return err
			}
		}
		if now, err = u.advance(ctx, phase.format, phase.upgrade); err != nil {
			return err
		}
	}
	return nil
}

// advance takes the settings from one phase of a step to the next.
func (u *Upgrade) advance(ctx context.Context, format, upgrade int) (settings.Settings, error) {
	nextFormat, nextUpgrade := format, format+1
	switch {
	case upgrade > format:
		nextFormat = upgrade
	case upgrade == format:
		nextUpgrade = 0
	}
	return u.Settings.ChangeWith(ctx, func(now *settings.Settings) ([]table.Write, bool, error) {
		switch {
		case now.Format == nextFormat && now.Upgrade == nextUpgrade: // our own try, whose answer was lost
			return nil, false, nil
		case now.Format != format || now.Upgrade != upgrade:
			return nil, false, u.elsewhere()
		}
		now.Format, now.Upgrade = nextFormat, nextUpgrade
		if upgrade == 0 || nextUpgrade == 0 { // a late process may have noted one after the end
			return []table.Write{{Key: positionKey(), Delete: true}}, true, nil
		}
		return nil, true, nil
	})
}

// elsewhere is the error that another process upgrades the table.
func (u *Upgrade) elsewhere() error {
	return errs.Errorf(errs.Conflict, "Another process is upgrading table %q: wait for it, or run this again if it was stopped", u.Table.Name())
}

// pass converts all items, from the position on that was noted last.
func (u *Upgrade) pass(ctx context.Context, step Step, format int) error {
	if err := table.Sleep(ctx, u.Settings.SettleTime()); err != nil { // until every server knows of the phase
		return table.Failed("upgrade the table", err)
	}
	if step.Convert == nil {
		return nil
	}
	at, err := u.readPosition(ctx, format)
	if err != nil {
		return err
	}
	sc := u.Table.NewScanner(table.ScanOptions{Rate: u.Rate})
	return sc.Walk(ctx, at.after, func(ctx context.Context, it table.Item) error {
		at.items++
		return u.convert(ctx, sc, step, it)
	}, func(after table.Item) (bool, error) {
		if u.Progress != nil {
			u.Progress(int64(at.items))
		}
		if at.after = after; after == nil {
			return false, nil
		}
		return true, u.save(ctx, &at)
	})
}

// convert takes one item to the new format, again as long as others change it.
func (u *Upgrade) convert(ctx context.Context, sc *table.Scanner, step Step, it table.Item) error {
	return u.Table.Race(ctx, "upgrade an item", func() error {
		w, ok := step.Convert(it)
		if !ok {
			return nil
		}
		if w.If == "" {
			return fmt.Errorf("%s: its write of %s has no condition, so it could undo another write", step.What, w.Item())
		}
		if err := sc.Spend(ctx, 1); err != nil {
			return table.Failed("upgrade the table", err)
		}
		err := u.Table.Write(ctx, "upgrade an item", w)
		if theirs, refused := table.IsRefused(err); refused {
			if it = theirs; it == nil { // it was deleted
				return nil
			}
		}
		return err
	})
}
