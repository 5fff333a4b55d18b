package command

import (
	"context"
	"fmt"
	"time"

	"product-comments/internal/progress"
	"product-comments/store"
	"product-comments/store/table"
)

type tables struct {
	Upgrade upgrading `cmd:"" help:"Show what a table of an earlier version lacks, and with --apply add it while the table is read and written. The exit status is ${exit_found} if something is left to do."`
}

type upgrading struct {
	storeFlags
	rateFlag
	Apply        bool `help:"Make the changes, one at a time. It may be stopped, and goes on when it is run again."`
	RemoveUnused bool `help:"Also delete the indexes in place of which others serve. First start all servers again: those that run since before may still read them."`
	Backfill     bool `help:"Also look at every comment, and give it the keys of this version where it lacks them."`
}

// Run shows or makes the changes.
func (u *upgrading) Run(ctx context.Context) (err error) {
	opened, err := u.connect(ctx, u.logger(), store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = closeAfter(err, opened.Close) }()
	upgrade := &table.Upgrade{
		API: opened.client, Table: u.Table, Design: store.Design(), Leftovers: u.RemoveUnused,
		Waiting: func(what string, since time.Duration) { fmt.Printf("%s: %s\n", what, since.Round(time.Second)) },
	}
	steps, err := upgrade.Steps(ctx)
	if err != nil {
		return fmt.Errorf("table %q: %w", u.Table, opened.where.explain(err))
	}
	for _, s := range steps {
		fmt.Printf("to do: %s\n", s.What)
	}
	switch {
	case len(steps) == 0:
		fmt.Printf("table %s is as this version needs it\n", u.Table)
	case !u.Apply:
		fmt.Println("Nothing was changed: --apply does it.")
		return errDiffers
	}
	for _, s := range steps {
		if err := upgrade.Make(ctx, s); err != nil {
			return goesOn(err)
		}
		fmt.Printf("done: %s\n", s.What)
	}
	if !u.Apply || !u.Backfill {
		return nil
	}
	bar := begin(ctx, opened.Store, "backfill")
	n, err := opened.Backfill(ctx, store.ScanOptions{Rate: u.Rate, Progress: bar.Set})
	bar.End(err == nil)
	fmt.Printf("gave %s the keys of this version\n", progress.Counted(n, "comment"))
	return goesOn(err)
}
