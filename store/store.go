package store

import (
	"cmp"
	"context"
	"errors"
	"product-comments/store/index/attributefilter"
	"product-comments/store/index/cases"
	"time"

	"product-comments/store/comment/compressed"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/comment/stats"
	"product-comments/store/comment/votes"
	"product-comments/store/derive/index"
	"product-comments/store/derive/pending"
	"product-comments/store/derive/projector"
	"product-comments/store/index/attributeorder"
	"product-comments/store/index/attributestats"
	"product-comments/store/index/authors"
	"product-comments/store/index/counts"
	"product-comments/store/index/orphans"
	"product-comments/store/index/pages"
	"product-comments/store/index/pages/tree"
	"product-comments/store/index/photos"
	"product-comments/store/index/powerset"
	"product-comments/store/index/purchases"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/key/sealed"
	"product-comments/store/orders"
	"product-comments/store/orders/requests"
	"product-comments/store/outbox"
	"product-comments/store/read/cache"
	"product-comments/store/read/shared"
	"product-comments/store/settings"
	"product-comments/store/settings/definitions"
	"product-comments/store/settings/families"
	"product-comments/store/table"
)

// API is the part of the DynamoDB client that the store uses.
type API = table.API

// Comment is a product review.
type Comment = item.Comment

// Options change how a store works. The zero value is ready for use.
type Options struct {
	CallTimeout time.Duration    // bounds one verb with all its retries; 5 seconds if zero
	MetaAge     time.Duration    // bounds the age of cached settings; 2 seconds if zero
	Now         func() time.Time // the clock; time.Now if nil
	Random      *table.Random    // for pauses, revisions and ids; the process's own if nil
	Budget      *table.Budget    // of retries, shared with the client; a separate one if nil
	// PageAge bounds the age of a page, or of statistics, that an earlier call read through
	// this store; 0 never reuses them. After a write of this store to a product its pages are
	// read again.
	PageAge time.Duration
	// PageBytes bounds the memory of cached pages; 64 MB if zero. Statistics and counts of
	// CountMatching take another eighth of it each, and decompressed texts a quarter.
	PageBytes int64
	// PlaceAge bounds the age of a product's place in a leaderboard, which is written at most
	// once in that time. A minute if zero; if negative, the place is written with every change
	// of a count.
	PlaceAge time.Duration
	// Moderation configures the moderation of comments.
	Moderation moderation.Options
	// PageSizes are the sizes of the nodes of page numbers. All processes must use the same;
	// tree.Usual if zero.
	PageSizes tree.Sizes
	// ImportEvents makes an import write events for the comments that it writes.
	ImportEvents bool
	// PrivateWebhooks allows webhook endpoints with http addresses.
	PrivateWebhooks bool
	// Keys seal the secrets of webhook endpoints and the contacts of orders; nil if the process
	// neither writes nor uses any.
	Keys *sealed.Set
	// DeletePhoto deletes the bytes of a photo, and succeeds if there are none. A process that projects
	// calls it for photos that no comment has; nil if it cannot.
	DeletePhoto func(ctx context.Context, id string) error
	// Observer is called with the store's calls and page reads; nil for none.
	Observer Observer
}

// Store reads and writes the comments of one table. It is safe for concurrent use.
type Store struct {
	t          *table.Table
	settings   *settings.Store
	attributes *definitions.Store
	families   *families.Families
	statistics *counts.Statistics
	powerSets  *powerset.PowerSets
	votes      *votes.Votes
	orders     *orders.Orders
	requests   *requests.Requests
	moderation *cases.Cases
	authors    *authors.Authors
	purchases  *purchases.Purchases
	orphans    *orphans.Orphans
	photos     *photos.Photos
	attrIndex  *attributeorder.Index
	attrStats  *attributestats.Statistics
	lists      *attributefilter.Lists
	projector  *projector.Projector
	outbox     *outbox.Outbox
	pending    *pending.Log
	epochs     *shared.Epochs
	pages      *shared.Reads[pageKey, Page]
	matching   *shared.Reads[pageKey, stats.ByLanguage]
	numbers    *pages.Pages
	texts      *cache.Cache[string, compressed.Words]
	observer   Observer

	importEvents bool
}

// countsShare and textsShare are the fractions of PageBytes that statistics and
// decompressed texts may take in addition to pages.
const (
	countsShare = 8
	textsShare  = 4
)

// New returns the store of a table. EnsureTable checks or creates the table.
func New(api API, name string, o Options) *Store {
	calls := table.Options{Timeout: o.CallTimeout, Now: o.Now, Random: o.Random, Budget: o.Budget}
	if o.Observer == nil {
		o.Observer = noObserver{}
	} else {
		calls.Observer = o.Observer
	}
	o.PageSizes = cmp.Or(o.PageSizes, tree.Usual)
	t := table.New(api, name, calls)
	s := &Store{t: t, observer: o.Observer, pending: pending.New(t.Random()),
		epochs: shared.NewEpochs(), importEvents: o.ImportEvents}
	s.settings = settings.New(t, settings.Options{Age: o.MetaAge})
	t.Guard(func(ctx context.Context) error { _, err := s.settings.Recent(ctx); return err })
	s.attributes = definitions.New(t, s.settings, func(scope string) table.Write {
		return index.BeginBackfill(t, key.AttributeFills, scope)
	})
	s.families = families.New(t)
	memory := cmp.Or(o.PageBytes, 64<<20)
	s.statistics = counts.New(t, s.settings, counts.Options{
		PlaceAge: max(0, cmp.Or(o.PlaceAge, time.Minute)), Age: o.PageAge, Bytes: memory / countsShare,
		Epochs: s.epochs, Pending: s.pending,
	})
	s.numbers = pages.New(t, s.settings, s.statistics, s.pending, o.PageSizes)
	s.votes = votes.New(t)
	s.outbox = outbox.New(t, s.settings, o.Keys.Derive("webhook"), o.PrivateWebhooks)
	s.requests = requests.New(t, o.Keys, s.outbox)
	s.orders = orders.New(t, s.requests)
	s.authors = authors.New(t)
	s.purchases = purchases.New(t, s.authors)
	s.orphans = orphans.New(t)
	s.photos = photos.New(t, o.DeletePhoto)
	s.moderation = cases.New(t, s.settings, s.pending, o.Keys, o.Moderation)
	s.powerSets = powerset.New(t, s.settings, s.epochs, s.statistics)
	s.attrIndex = attributeorder.New(t, s.settings, s.attributes, s.statistics)
	s.attrStats = attributestats.New(t, s.settings, s.attributes, s.pending)
	s.lists = attributefilter.New(t, s.settings, s.attributes, s.attrIndex, s.attrStats, s.statistics, s.pending)
	derived := []index.Index{s.statistics, s.numbers, s.powerSets, s.attrIndex, s.attrStats, s.purchases, s.moderation,
		s.orders, s.authors, s.orphans, s.photos, s.outbox}
	s.projector = projector.New(t, s.settings, derived...)
	s.pages = shared.New(shared.Options[pageKey, Page]{Age: o.PageAge, Max: memory, Size: pageBytes,
		Now: t.Clock()})
	s.matching = shared.New(shared.Options[pageKey, stats.ByLanguage]{Age: o.PageAge, Max: memory / countsShare,
		Size: matchingBytes, Now: t.Clock()})
	s.texts = newTexts(memory/textsShare, t.Clock())
	return s
}

// Table returns the table's name.
func (s *Store) Table() string { return s.t.Name() }

// Settings returns the table's settings.
func (s *Store) Settings() *settings.Store { return s.settings }

// Attributes returns the definitions of comments' attributes.
func (s *Store) Attributes() *definitions.Store { return s.attributes }

// Families returns the families of products.
func (s *Store) Families() *families.Families { return s.families }

// PowerSets returns the power sets of the table's products.
func (s *Store) PowerSets() *powerset.PowerSets { return s.powerSets }

// Orders returns the orders, and the profiles of the users who placed them.
func (s *Store) Orders() *orders.Orders { return s.orders }

// Moderation returns the moderation modes, queues and histories of comments.
func (s *Store) Moderation() *cases.Cases { return s.moderation }

// AttributeIndex returns the attribute index: the lists of comments in the order of an attribute or of
// votes.
func (s *Store) AttributeIndex() *attributeorder.Index { return s.attrIndex }

// AttributeStats returns the attribute statistics.
func (s *Store) AttributeStats() *attributestats.Statistics { return s.attrStats }

// Lists checks and counts lists by attributes.
func (s *Store) Lists() *attributefilter.Lists { return s.lists }

// PageNumbers returns the page numbers of products.
func (s *Store) PageNumbers() *pages.Pages { return s.numbers }

// Projector returns the projector, which maintains all derived data.
func (s *Store) Projector() *projector.Projector { return s.projector }

// Outbox returns the events that leave the table, and the webhook endpoints that get them.
func (s *Store) Outbox() *outbox.Outbox { return s.outbox }

// Design returns the schema of a table of comments.
func Design() table.Design {
	return table.Design{Projected: item.Projected, Orders: orders.Projected, Expires: item.AttrExpires}
}

// EnsureTable checks that the table exists, has the expected schema and a format that this
// version supports. If there is no table and create is set, EnsureTable creates it. It never
// alters a table: an unexpected schema is an error that lists every difference. A table without
// settings, which was made by hand, gets them.
func (s *Store) EnsureTable(ctx context.Context, create bool) error {
	made, err := s.t.Ensure(ctx, Design(), create)
	if err != nil {
		return err
	}
	now, err := s.settings.Read(ctx)
	if err == nil && now.Revision == 0 {
		_, err = s.settings.Change(ctx, func(now *settings.Settings) (bool, error) {
			if made {
				now.State, now.Created = settings.StateNew, s.t.Now().UTC()
				now.Scorings, now.Ranked = 1, 1 // a new table has no places in leaderboards
			}
			return now.Revision == 0, nil // otherwise another process was faster
		})
	}
	if other := (*settings.FormatError)(nil); errors.As(err, &other) {
		return other
	}
	return err
}

// Ready reads the table's settings, which costs one read unit. It returns an Unavailable error
// if the table does not answer or has a format that this version does not serve.
func (s *Store) Ready(ctx context.Context) error {
	_, err := s.settings.Read(ctx)
	return err
}

// Empty reports whether the table holds no comments.
func (s *Store) Empty(ctx context.Context) (bool, error) { return s.t.EmptyIndex(ctx, key.All.Name) }

// Items returns the approximate number of items in the table. DynamoDB updates it about every
// six hours, so it is 0 for a new table.
func (s *Store) Items(ctx context.Context) (int64, error) { return s.t.Items(ctx) }

// Statistics reads the statistics of scopes, in their order; see counts.Counts.
func (s *Store) Statistics(ctx context.Context, scopes []stats.Scope) ([]stats.Statistics, error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	return s.statistics.Counts(ctx, scopes)
}

// RankWindow is a window of a leaderboard, in which the greatest number comes first.
type RankWindow = list.Window[key.Rank]

// Leaderboard reads a window of a leaderboard: the greatest number first, products with the same
// number in descending order of their ids. Places may be as old as the store's PlaceAge. It returns
// an Unavailable error if the statistics are not maintained, or the places are being rebuilt.
func (s *Store) Leaderboard(ctx context.Context, of Board, w RankWindow) (list.Page[key.Rank], error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	return s.statistics.Ranks(ctx, of, w)
}

// SetScoring changes how products are ranked by score; see counts.SetScoring.
func (s *Store) SetScoring(ctx context.Context, to settings.Scoring, o ScoringOptions) error {
	return s.statistics.SetScoring(ctx, to, o)
}

// Repetitions returns the figures of retried calls to DynamoDB.
func (s *Store) Repetitions() table.BudgetFigures { return s.t.Budget().Figures() }

// CachedPages returns the figures of the page cache.
func (s *Store) CachedPages() cache.Stats { return s.pages.Stats() }

// CachedCounts returns the figures of the cache of counts.
func (s *Store) CachedCounts() cache.Stats { return s.statistics.Cached() }

// wrote notes that this store wrote to a product, or tried to. Later calls get no page of the
// product that was read before.
func (s *Store) wrote(product string) { s.epochs.Wrote(product, s.t.Now()) }
