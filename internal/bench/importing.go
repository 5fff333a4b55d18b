package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"product-comments/internal/ndjson"
	"product-comments/store"
)

// importFigures compare an import with writing the same items and no more.
type importFigures struct {
	lines          int
	fileBytes      int64
	plain, through float64 // comments a second
	peak           int64   // bytes of memory of the import
}

const (
	importedTable = "imported"
	plainTable    = "plain"
	batchSize     = 25 // BatchWriteItem takes no more
	writers       = 4  // batches under way at once; more gain nothing
)

// measureImport imports a file, between two halves of plain writes, so that a
// machine that gets slower or faster favours neither.
func (b *bench) measureImport(ctx context.Context, lines int) (*importFigures, error) {
	say("import: preparing %d lines", lines)
	comments := newComments("i", "43", lines)
	file := filepath.Join(b.dir, "import.ndjson")
	size, err := writeFile(file, comments)
	if err != nil {
		return nil, err
	}
	requests, err := writeRequests(ctx, comments)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{importedTable, plainTable} {
		if _, err := b.newTable(ctx, name); err != nil {
			return nil, err
		}
	}
	out := &importFigures{lines: lines, fileBytes: size}
	half := len(requests) / 2
	say("import: plain writes")
	first, err := b.plainWrites(ctx, requests[:half])
	if err != nil {
		return nil, err
	}
	say("import: %s import", service)
	took, peak, err := b.runImport(ctx, file)
	if err != nil {
		return nil, err
	}
	say("import: plain writes again")
	second, err := b.plainWrites(ctx, requests[half:])
	if err != nil {
		return nil, err
	}
	out.plain = float64(lines) / (first + second).Seconds()
	out.through, out.peak = float64(lines)/took.Seconds(), peak
	return out, nil
}

func writeFile(name string, comments []store.Comment) (int64, error) {
	var b bytes.Buffer
	var line []byte
	for i := range comments {
		line = ndjson.Append(line[:0], &comments[i])
		b.Write(line)
	}
	return int64(b.Len()), os.WriteFile(name, b.Bytes(), 0o600)
}

// recorder keeps what a store would write.
type recorder struct {
	*dynamodb.Client // nil; an import calls nothing but the following

	mu       sync.Mutex
	requests []types.WriteRequest
}

func (*recorder) BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	return &dynamodb.BatchGetItemOutput{}, nil
}

func (*recorder) GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return &dynamodb.GetItemOutput{}, nil
}

func (*recorder) UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	return &dynamodb.UpdateItemOutput{}, nil
}

func (r *recorder) BatchWriteItem(_ context.Context, in *dynamodb.BatchWriteItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, requests := range in.RequestItems {
		r.requests = append(r.requests, requests...)
	}
	return &dynamodb.BatchWriteItemOutput{}, nil
}

// writeRequests returns the very items that the store makes of the comments.
func writeRequests(ctx context.Context, comments []store.Comment) ([]types.WriteRequest, error) {
	r := &recorder{}
	if _, err := store.New(r, plainTable, store.Options{}).Import(ctx, comments); err != nil {
		return nil, err
	}
	return r.requests, nil
}

// plainWrites writes items as fast as the engine takes them.
func (b *bench) plainWrites(ctx context.Context, requests []types.WriteRequest) (time.Duration, error) {
	start := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for batch := range slices.Chunk(requests, batchSize) {
		group.Go(func() error {
			out, err := b.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{plainTable: batch}})
			if err == nil && len(out.UnprocessedItems) > 0 {
				err = fmt.Errorf("the engine left items unprocessed")
			}
			return err
		})
	}
	err := group.Wait()
	return time.Since(start), err
}

// runImport imports a file in a process of its own, whose start counts, too.
func (b *bench) runImport(ctx context.Context, file string) (time.Duration, int64, error) {
	var output bytes.Buffer
	c := exec.CommandContext(ctx, filepath.Join(b.dir, service), "import", "--engine=dynamodb", "--table="+importedTable,
		"--data-dir="+filepath.Join(b.dir, "data"), "--log-level=warn", file)
	c.Dir, c.Stdout, c.Stderr = b.dir, &output, &output
	start := time.Now()
	if err := c.Start(); err != nil {
		return 0, 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	var peak int64
	for {
		select {
		case err := <-ended:
			took := time.Since(start)
			if err != nil {
				err = fmt.Errorf("import: %w\n%s", err, output.Bytes())
			}
			return took, peak, err
		case <-look.C:
			peak = max(peak, peakMemory(c.Process.Pid))
		}
	}
}
