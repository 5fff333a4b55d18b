package main

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/store"
	"product-comments/store/derive/stream"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/table"
)

// filled is a table with comments.
type filled struct {
	name                         string
	itemBytes, indexBytes, units float64 // average size and write units of a comment
}

// fill returns the table of a set. On the first call it creates the table, and writes and projects
// the comments of the set.
func (b *bench) fill(ctx context.Context, set *dataSet) (*filled, error) {
	name := set.name + ".comments"
	if f := b.filled[name]; f != nil {
		return f, nil
	}
	s, pay, err := b.newTable(ctx, name)
	if err != nil {
		return nil, err
	}
	all := commentsOf(set.products)
	reportProgress("%s: writing and counting %d comments", name, len(all))
	pay.take()
	for batch := range slices.Chunk(all, 2500) {
		if _, err := s.Import(ctx, batch); err != nil {
			return nil, err
		}
	}
	n := float64(len(all))
	f := &filled{name: name, units: pay.take().comments / n}
	err = project(ctx, b.engine, s, stream.Options{}, func(c *stream.Consumer) error { return c.Wait(ctx) })
	for bytes, index := range map[*float64]*string{&f.itemBytes: nil, &f.indexBytes: &key.All.Name} {
		if err == nil {
			*bytes, err = b.bytes(ctx, name, index)
			*bytes /= n
		}
	}
	b.filled[name] = f
	return f, err
}

// newTable creates a table of the service, with a store that counts write units.
func (b *bench) newTable(ctx context.Context, name string) (*store.Store, *bill, error) {
	pay := &bill{}
	s := store.New(b.engine, name, store.Options{Observer: pay})
	return s, pay, s.EnsureTable(ctx, true)
}

// bytes returns the bytes of all comments in a table, or in one of its indexes.
func (b *bench) bytes(ctx context.Context, name string, index *string) (sum float64, err error) {
	pages := dynamodb.NewScanPaginator(b.engine, &dynamodb.ScanInput{TableName: &name, IndexName: index})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return 0, err
		}
		for _, item := range page.Items {
			if !strings.HasPrefix(table.Text(item, key.PK), key.Comment("")) {
				continue
			}
			for name, value := range item {
				sum += float64(table.Size(name, value))
			}
		}
	}
	return sum, nil
}

// project runs a projector while do runs.
func project(ctx context.Context, from stream.API, s *store.Store, o stream.Options, do func(*stream.Consumer) error) error {
	consumer := stream.New(from, s.Projector(), o)
	running, stop := context.WithCancel(ctx)
	var tasks sync.WaitGroup
	tasks.Go(func() { _ = consumer.Run(running) })
	err := do(consumer)
	stop()
	tasks.Wait()
	return err
}

// bill is an observer that adds up a store's calls and their units.
type bill struct {
	mu  sync.Mutex
	sum units
}

// units are write units, including indexes: of comments, of other transactions, and of other
// writes; and read units, and how many calls these were.
type units struct{ comments, transacted, others, read, calls float64 }

// take returns the sums since the last call.
func (b *bill) take() units {
	b.mu.Lock()
	defer b.mu.Unlock()
	sum := b.sum
	b.sum = units{}
	return sum
}

func (b *bill) Called(_ context.Context, c table.Call) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sum.calls++
	b.sum.read += c.Read
	switch {
	case c.Access == key.AccessComment:
		b.sum.comments += c.Written
	case c.Operation == table.TransactWriteItems:
		b.sum.transacted += c.Written
	default:
		b.sum.others += c.Written
	}
}

func (*bill) Begin(ctx context.Context, _ store.Step) context.Context { return ctx }
func (*bill) Planned(context.Context, plan.Plan)                      {}
func (*bill) Read(context.Context, store.PageRead)                    {}
