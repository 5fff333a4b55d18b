// Package upgrade converts a table from one format to the next while servers of both formats
// use it.
//
// A step scans the table twice. During the first pass servers of the older format still write,
// so they may change items that the pass has converted. Then the table's format number rises:
// after the SettleTime of the settings, servers of the older format no longer write, are not
// ready and do not start. The second pass converts what they wrote.
//
// Servers of the older format must be able to read converted items. A change that they cannot
// read takes two steps, in two versions. Servers of the newer format read items of both formats
// until the table has the new number and no Upgrade, and write the new form as soon as an
// upgrade has begun.
package upgrade

import (
	"context"
	"fmt"

	"product-comments/store/errs"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Step converts a table from one format to the next.
type Step struct {
	What string // what the step does, a sentence without its full stop
	// Ready returns an error if the table cannot be upgraded now. Nil if the step needs no
	// check.
	Ready func(context.Context, *table.Table) error
	// Convert returns the write that converts an item to the new format, conditional on the
	// item's content. ok is false for an item that needs no change. If Convert is nil, no item
	// does, and the table is not scanned.
	Convert func(table.Item) (w table.Write, ok bool)
}

// Steps are the steps of this version. The first one converts a table of format 1 to format 2.
var Steps = []Step{{What: "count comments by kind, and number pages of products once they are rebuilt"}}

// Upgrade is the upgrade of one table. It may be stopped at any time; another process can
// continue it.
type Upgrade struct {
	Table    *table.Table
	Settings *settings.Store // of a process that knows the last step's format
	Steps    []Step
	Rate     float64           // capacity units a second at most; 0 for no limit
	Progress func(items int64) // called from time to time with the number of items that a pass has read; may be nil
}

// Pending returns the steps that are not done, in order. It returns an Unavailable error if the
// store does not answer.
func (u *Upgrade) Pending(ctx context.Context) ([]Step, error) {
	now, err := u.Settings.Read(ctx)
	if err != nil || now.Revision == 0 { // the table has no settings yet
		return nil, err
	}
	return u.Steps[baseFormat(now)-1:], nil
}

// baseFormat returns the format that the next step converts from.
func baseFormat(now settings.Settings) int {
	if now.Upgrade == now.Format {
		return now.Format - 1
	}
	return now.Format
}

// Make performs the first pending step. It returns a Conflict error if the table is not ready
// or another process is upgrading it, and Unavailable if the store does not answer. After
// either error it can be called again.
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
				return errs.Wrap(errs.Conflict, err, "Table %q cannot be upgraded to format %d now", u.Table.Name(),
					n+1)
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

// advance changes the settings from one phase of a step to the next.
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
		case now.Format == nextFormat &&
			now.Upgrade == nextUpgrade: // an earlier attempt succeeded, but its answer was lost
			return nil, false, nil
		case now.Format != format || now.Upgrade != upgrade:
			return nil, false, u.elsewhere()
		}
		now.Format, now.Upgrade = nextFormat, nextUpgrade
		if upgrade == 0 || nextUpgrade == 0 { // a slow process may have saved a position after the end
			return []table.Write{{Key: positionKey(), Delete: true}}, true, nil
		}
		return nil, true, nil
	})
}

// elsewhere returns the error that another process is upgrading the table.
func (u *Upgrade) elsewhere() error {
	return errs.Errorf(errs.Conflict, "Another process is upgrading table %q: wait for it, or run this again if it was stopped", u.Table.Name())
}

// pass converts all items after the saved position.
func (u *Upgrade) pass(ctx context.Context, step Step, format int) error {
	if err := table.Sleep(ctx, u.Settings.SettleTime()); err != nil { // until every server has read the settings
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

// convert converts one item, and retries when others change it.
func (u *Upgrade) convert(ctx context.Context, sc *table.Scanner, step Step, it table.Item) error {
	return u.Table.Race(ctx, "upgrade an item", func() error {
		w, ok := step.Convert(it)
		if !ok {
			return nil
		}
		if w.If == "" {
			return fmt.Errorf("%s: its write of %s has no condition, so it could undo another write", step.What,
				w.Item())
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
