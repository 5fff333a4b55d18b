package command

import (
	"context"
	"fmt"
	"time"

	"product-comments/store"
	"product-comments/store/table"
	"product-comments/store/upgrade"
)

type tableCmd struct {
	Upgrade upgradeCmd `cmd:"" help:"Show what a table lacks that was created by hand or by an earlier version; with --apply, add it while the table is read and written. The exit status is ${exit_found} if something remains to be done."`
}

type upgradeCmd struct {
	storeFlags
	rateFlag
	Apply        bool `help:"Make the changes, one at a time. If stopped, it continues when it is run again."`
	RemoveUnused bool `help:"Also delete the indexes that others have replaced. First restart all servers: those started before the upgrade may still read them."`
}

// change is a change that a table needs.
type change struct {
	what string
	make func(context.Context) error
}

// Run prints or makes the changes.
func (u *upgradeCmd) Run(ctx context.Context) (err error) {
	opened, err := u.connect(ctx, store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = closeAfter(err, opened.Close) }()
	shape, err := u.shape(ctx, opened)
	if err != nil {
		return fmt.Errorf("table %q: %w", u.Table, opened.where.explain(err))
	}
	content, err := u.content(ctx, opened)
	if err != nil {
		return err
	}
	changes := append(shape, content...)
	for _, c := range changes {
		fmt.Printf("to do: %s\n", c.what)
	}
	switch {
	case len(changes) == 0:
		fmt.Printf("table %s is up to date\n", u.Table)
	case !u.Apply:
		fmt.Println("Nothing was changed: run it again with --apply.")
		return errDiffers
	}
	for _, c := range changes {
		if err := c.make(ctx); err != nil {
			return hintRerun(err)
		}
		fmt.Printf("done: %s\n", c.what)
	}
	return nil
}

// shape returns the changes to the table's schema.
func (u *upgradeCmd) shape(ctx context.Context, opened *openStore) (changes []change, err error) {
	up := &table.Upgrade{
		API: opened.api, Table: u.Table, Design: store.Design(), Leftovers: u.RemoveUnused,
		Waiting: func(what string, since time.Duration) { fmt.Printf("%s: %s\n", what, since.Round(time.Second)) },
	}
	steps, err := up.Steps(ctx)
	for _, s := range steps {
		changes = append(changes, change{s.What, func(ctx context.Context) error { return up.Make(ctx, s) }})
	}
	return changes, err
}

// content returns the changes to the table's items.
func (u *upgradeCmd) content(ctx context.Context, opened *openStore) (changes []change, err error) {
	up := &upgrade.Upgrade{Table: opened.Projector().Table(), Settings: opened.Settings(), Steps: upgrade.Steps,
		Rate: u.Rate}
	steps, err := up.Pending(ctx)
	for _, s := range steps {
		changes = append(changes, change{s.What, func(ctx context.Context) error {
			bar := beginProgress(ctx, opened.Store, "upgrade")
			up.Progress = bar.Set
			err := up.Make(ctx)
			bar.End(err == nil)
			return err
		}})
	}
	return changes, err
}
