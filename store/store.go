package store

import (
	"cmp"
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	lru "github.com/hashicorp/golang-lru/v2"

	"product-comments/internal/cache"
	"product-comments/store/pack"
	"product-comments/store/stats"
)

// API is what the store uses of the DynamoDB client.
type API interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
	DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
	Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error)
	BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error)
	BatchWriteItem(context.Context, *dynamodb.BatchWriteItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error)
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
	DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
	CreateTable(context.Context, *dynamodb.CreateTableInput, ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error)
	UpdateTimeToLive(context.Context, *dynamodb.UpdateTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error)
}

// Options change how a store works. The zero value is ready for use.
type Options struct {
	CallTimeout time.Duration    // of one verb with all its retries; 5 seconds if zero
	MetaAge     time.Duration    // how old what is known of Meta may be; 2 seconds if zero
	Now         func() time.Time // the clock; time.Now if nil
	// PageAge is how old a page or statistics may be that others read a moment
	// ago, through this store; 0 is not at all. A product that this store writes
	// to is read anew.
	PageAge time.Duration
	// PageBytes is the most memory that such pages take; 64 MB if zero.
	PageBytes int64
}

// Store reads and writes the comments of one table. It is safe for concurrent use.
type Store struct {
	api     API
	table   string
	timeout time.Duration
	metaAge time.Duration
	now     func() time.Time

	metas   metaCache
	catalog *catalog
	epochs  *epochs
	pages   *shared[pageKey, Page]
	counts  *shared[countsKey, stats.Statistics]
	codecs  *lru.Cache[int, *pack.Codec] // by version

	// reads that callers share while they are under way
	learning      cache.Flights[stats.Scope, outcome[knownScope]]
	readingCodecs cache.Flights[int, outcome[*pack.Codec]]
}

// New returns the store of a table, which EnsureTable checks or makes.
func New(api API, table string, o Options) *Store {
	s := &Store{api: api, table: table, timeout: o.CallTimeout, metaAge: o.MetaAge, now: o.Now, catalog: newCatalog(), epochs: newEpochs(), codecs: newLRU[int, *pack.Codec](codecs)}
	if s.timeout == 0 {
		s.timeout = 5 * time.Second
	}
	if s.metaAge == 0 {
		s.metaAge = 2 * time.Second
	}
	if s.now == nil {
		s.now = time.Now
	}
	o.Now, o.PageBytes = s.now, cmp.Or(o.PageBytes, 64<<20)
	s.pages = newShared(o, o.PageBytes, pageBytes)
	s.counts = newShared(o, o.PageBytes/countsShare, countsBytes)
	return s
}

// Table returns the table's name.
func (s *Store) Table() string { return s.table }

// deadline bounds a verb: no call of the store waits longer than its timeout,
// nor than the caller's own deadline.
func (s *Store) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, s.timeout)
}
