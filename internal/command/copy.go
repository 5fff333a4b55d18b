package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"product-comments/internal/progress"
	"product-comments/store"
	"product-comments/store/copying"
)

type copyCmd struct {
	storeFlags
	projectorFlags
	rateFlag
	ToEngine   string `help:"Engine of the copy." enum:"embedded,dynamodb" default:"dynamodb"`
	ToTable    string `help:"Table to copy to, which is created or must be empty. The default is the name of the source table." placeholder:"NAME"`
	ToDataDir  string `help:"The embedded engine's data directory of the copy." type:"path" placeholder:"DIR"`
	ToEndpoint string `help:"Endpoint of the copy, instead of ${endpoint_env} and AWS's default." placeholder:"URL"`
	Ahead      bool   `help:"Copy ahead while servers still write to the source table. When they have stopped, run the command again without this flag: that takes a fraction of the time."`
}

// Run copies a table and rebuilds its derived data. When it is stopped or run again, it continues
// with the remaining differences.
func (c *copyCmd) Run(ctx context.Context) (err error) {
	log := c.logger()
	c.Engine = cmp.Or(c.Engine, engineEmbedded) // the usual copy is from the embedded engine to DynamoDB
	to := c.target()
	if c.Engine == to.Engine && c.Table == to.Table && (c.Engine == engineDynamoDB && c.ToEndpoint == "" || c.Engine != engineDynamoDB && c.DataDir == to.DataDir) {
		return errors.New("source and copy are the same table: name another with --to-engine, --to-table, --to-data-dir or --to-endpoint")
	}
	if to.Engine == engineDynamoDB {
		if _, err := to.endpointBy(); err != nil { // fail before hours of work
			return err
		}
	}
	source := fmt.Sprintf("%s/%s", c.Engine, c.Table)
	from, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = closeAfter(err, from.Close) }()
	copied, err := to.open(ctx)
	if err != nil {
		return fmt.Errorf("the copy: %w", err)
	}
	defer func() { err = closeAfter(err, copied.Close) }()
	done, err := copying.Begin(ctx, copied.Store, source)
	if err == nil && !done {
		err = c.passes(ctx, from.Store, copied.Store, source)
	}
	switch {
	case err != nil:
		return err
	case c.Ahead && !done:
		fmt.Println("Copied ahead. Stop the servers of the source table, then run this again without --ahead.")
		return nil
	}
	if err := copying.Seal(ctx, copied.Store, source); err != nil {
		return err
	}
	fmt.Println("Servers may use the copy now. Its comments are being counted.")
	return c.finish(ctx, copied, source, log)
}

// target returns the flags of the copy in the form of any table's flags.
func (c *copyCmd) target() *storeFlags {
	to := c.storeFlags
	to.Engine, to.Table, to.CreateTable, to.endpoint = c.ToEngine, cmp.Or(c.ToTable, c.Table), true, c.ToEndpoint
	to.DataDir = cmp.Or(c.ToDataDir, c.DataDir)
	return &to
}

// passes copies until both tables are the same. With --ahead, a source that is still being written
// to is not an error.
func (c *copyCmd) passes(ctx context.Context, from, to *store.Store, source string) error {
	bar := beginProgress(ctx, from, "copy")
	done, err := copying.Passes(ctx, from, to, copying.Options{Source: source, Rate: c.Rate, Progress: bar.Step})
	bar.End(err == nil)
	fmt.Printf("%s and %s: %d written, %d deleted\n", progress.Counted(int64(done.Comments), "comment"),
		progress.Counted(int64(done.Others), "other item"), done.Written, done.Deleted)
	switch {
	case errors.Is(err, copying.ErrBusy) && c.Ahead:
		return nil
	case errors.Is(err, copying.ErrBusy):
		return err
	case err != nil:
		return hintRerun(err)
	}
	fmt.Println("Every item was compared: the copy is complete.")
	return nil
}

// finish rebuilds the statistics and the copies of comments, and marks the copy as complete.
func (c *copyCmd) finish(ctx context.Context, copied *openStore, source string, log *slog.Logger) error {
	if err := c.setPages(ctx, copied, log); err != nil {
		return err
	}
	projector := c.start(ctx, copied, log)
	defer projector.stop()
	if err := projector.rebuild(ctx, copied, c.Rate); err != nil {
		return fmt.Errorf("the comments are copied, but not counted: %w; run the command again to continue", err)
	}
	if err := c.fill(ctx, copied); err != nil {
		return fmt.Errorf("the comments are copied and counted, but some orders cannot be read: %w", err)
	}
	return copying.End(ctx, copied.Store, source)
}

// fill completes backfills that were under way in the source.
func (c *copyCmd) fill(ctx context.Context, copied *openStore) error {
	fills, err := copied.Columns().Backfill().All(ctx)
	if err != nil || len(fills) == 0 {
		return err
	}
	return finishBackfills(ctx, copied)
}
