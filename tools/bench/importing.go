package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"
)

const (
	importLines   = 20_000
	importedTable = "imported"
	plainTable    = "plain"
	leastImport   = 0.8 // comments a second by those of plain writes
	mostImport    = 100 // MB of memory
	batchSize     = 25  // BatchWriteItem takes no more
	writers       = 4   // batches under way at once; more gain nothing
)

// measureImport imports a file in a process of its own, whose start counts, too,
// and then writes the same items to another table as fast as the engine takes
// them.
func measureImport(ctx context.Context, b *bench) error {
	lines := b.flags.of(importLines)
	say("import: %d lines", lines)
	file := filepath.Join(b.dir, "import.ndjson")
	if err := writeFile(file, newComments("i", "43", lines)); err != nil {
		return err
	}
	for _, name := range []string{importedTable, plainTable} {
		if _, err := b.newTable(ctx, b.client, name); err != nil {
			return err
		}
	}
	start := time.Now()
	peak, err := b.runImport(ctx, file)
	if err != nil {
		return err
	}
	imported := float64(lines) / time.Since(start).Seconds()
	requests, err := b.itemsOf(ctx, importedTable)
	if err != nil {
		return err
	}
	start = time.Now()
	if err := b.plainWrites(ctx, requests); err != nil {
		return err
	}
	written := float64(len(requests)) / time.Since(start).Seconds()
	b.report.line("Import of %d lines: %.0f comments/s, plain writes of the same items %.0f/s.", lines, imported, written)
	b.report.atLeast("import, comments/s by plain writes'", imported/written, leastImport)
	b.report.atMost("most memory of an import, MB", float64(peak)/1e6, mostImport)
	return nil
}

// runImport imports a file, and returns the most bytes of memory that it took.
func (b *bench) runImport(ctx context.Context, file string) (peak int64, err error) {
	c := exec.CommandContext(ctx, filepath.Join(b.dir, service), "import", "--engine=dynamodb", "--table="+importedTable,
		"--data-dir="+filepath.Join(b.dir, "data"), "--log-level=warn", file)
	c.Dir = b.dir
	ended := make(chan error, 1)
	go func() {
		output, err := c.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, output)
		}
		ended <- err
	}()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			return peak, err
		case <-look.C:
			if c.Process != nil {
				peak = max(peak, peakMemory(c.Process.Pid))
			}
		}
	}
}

// itemsOf returns all items of a table, to be put.
func (b *bench) itemsOf(ctx context.Context, table string) (requests []types.WriteRequest, err error) {
	pages := dynamodb.NewScanPaginator(b.client, &dynamodb.ScanInput{TableName: &table})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, item := range page.Items {
			requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
		}
	}
	return requests, nil
}

// plainWrites writes items as fast as the engine takes them.
func (b *bench) plainWrites(ctx context.Context, requests []types.WriteRequest) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for batch := range slices.Chunk(requests, batchSize) {
		group.Go(func() error {
			out, err := b.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{plainTable: batch}})
			if err == nil && len(out.UnprocessedItems) > 0 {
				err = errors.New("the engine left items unprocessed")
			}
			return err
		})
	}
	return group.Wait()
}
