package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"product-comments/store"
	"product-comments/store/table"
)

type tableCmd struct {
	Upgrade upgradeCmd `cmd:"" help:"Show what a table lacks that was created by hand or by an earlier version; with --apply, add it while the table is read and written. The exit status is ${exit_found} if something remains to be done."`
}

type upgradeCmd struct {
	storeFlags
	Apply        bool `help:"Make the changes, one at a time. If stopped, it continues when it is run again."`
	RemoveUnused bool `help:"Also delete the indexes that others have replaced. First restart all servers: those started before the upgrade may still read them."`
}

// Run prints or makes the changes.
func (u *upgradeCmd) Run(ctx context.Context) (err error) {
	opened, err := u.connect(ctx, store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	up := &table.Upgrade{
		API: opened.api, Table: u.Table, Design: store.Design(), Leftovers: u.RemoveUnused,
		Waiting: func(what string, since time.Duration) { fmt.Printf("%s: %s\n", what, since.Round(time.Second)) },
	}
	steps, err := up.Steps(ctx)
	if err != nil {
		return fmt.Errorf("table %q: %w", u.Table, opened.where.explain(err))
	}
	for _, s := range steps {
		fmt.Printf("to do: %s\n", s.What)
	}
	switch {
	case len(steps) == 0:
		fmt.Printf("table %s is up to date\n", u.Table)
	case !u.Apply:
		fmt.Println("Nothing was changed: run it again with --apply.")
		return errDiffers
	}
	for _, s := range steps {
		if err := up.Make(ctx, s); err != nil {
			return hintRerun(err)
		}
		fmt.Printf("done: %s\n", s.What)
	}
	return nil
}
