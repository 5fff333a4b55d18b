package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
	"product-comments/store/stats"
)

// VerifyOptions say how a verification works.
type VerifyOptions struct {
	// Rate bounds the read capacity units a second; 0 is without bound.
	Rate float64
	// Progress is told now and then how many items were looked at; may be nil.
	Progress func(items int64)
	// Patience is how long a product may differ, because writes go on or the
	// projector is behind, before that is reported.
	Patience time.Duration
}

// Verified is what a verification found.
type Verified struct {
	State       State
	Comments    int64
	Products    int          // with comments
	Copies      int64        // of comments of products with a power set
	Differences []Difference // none if all is well
}

// Difference is something that does not agree with the comments.
type Difference struct {
	ProductID string
	What      string // a sentence without the product
}

func (d Difference) String() string { return fmt.Sprintf("product %q: %s", d.ProductID, d.What) }

// Verify counts all comments in a parallel scan and compares statistics, the
// leaderboard's keys and the copies of products with a power set. A product
// that differs is looked at again, by itself, until it agrees or the patience
// is over: a scan takes its time, and writes go on. It returns an Unavailable
// error if the store does not answer.
func (s *Store) Verify(ctx context.Context, o VerifyOptions) (Verified, error) {
	meta, err := s.Meta(ctx)
	if err != nil {
		return Verified{}, err
	}
	found := Verified{State: meta.State}
	if meta.State != StateKept {
		return found, nil
	}
	sum := newCensus(meta)
	sc := newScanner(s, o.Rate, o.Progress) // of whole items: the units are the same
	if err := sc.run(ctx, func(_ context.Context, it item) error { return sum.take(it) }); err != nil {
		return found, err
	}
	found.Comments, found.Copies = sum.comments, sum.copies
	suspects := sum.suspects()
	found.Products = sum.products
	deadline := s.now().Add(o.Patience)
	for _, product := range suspects {
		differences, err := s.verifyProduct(ctx, product, sum.copied[product], deadline)
		if err != nil {
			return found, err
		}
		found.Differences = append(found.Differences, differences...)
	}
	return found, nil
}

// census is what a scan finds.
type census struct {
	meta Meta

	mu       sync.Mutex
	counted  stats.Deltas // of the comments
	items    map[stats.Scope]statisticsItem
	wrong    map[string]bool            // products whose statistics items are wrong by themselves
	copied   map[string]map[string]bool // by product, partitions with copies
	comments int64
	copies   int64
	products int
}

func newCensus(meta Meta) *census {
	return &census{meta: meta, counted: stats.Deltas{}, items: map[stats.Scope]statisticsItem{}, wrong: map[string]bool{}, copied: map[string]map[string]bool{}}
}

func (c *census) take(it item) error {
	pk, sk := text(it, key.PK), text(it, key.SK)
	if _, ok := key.CommentID(pk); ok {
		comment, err := commentOf(it, "")
		if err != nil {
			return damagedItem(it, err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.comments++
		c.counted.Change(nil, &stats.Counted{ProductID: comment.ProductID, Language: comment.Language, Rating: comment.Rating, Bytes: comment.size}, 0)
		return nil
	}
	if product, _, _, ok := key.ParsePowerSet(pk); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.copies++
		if c.copied[product] == nil {
			c.copied[product] = map[string]bool{}
		}
		c.copied[product][pk] = true
		return nil
	}
	product, ok := key.ProductID(pk)
	if !ok {
		return nil
	}
	language, ok := key.ParseStatisticsSK(sk)
	if !ok {
		return nil
	}
	scope := stats.Scope{ProductID: product, Language: language}
	read, err := statisticsOf(scope, it)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items[scope] = read
	if wrong := read.wrong(it); wrong != "" {
		c.wrong[product] = true
	}
	return nil
}

// suspects returns the products whose statistics or copies do not agree with
// what the scan saw, in order. It is to be called once.
func (c *census) suspects() []string {
	suspects := maps.Clone(c.wrong)
	for scope, counted := range c.counted {
		if scope.Language == "" {
			c.products++
		}
		if !same(c.items[scope].as(c.meta.Generation), *counted) {
			suspects[scope.ProductID] = true
		}
		delete(c.items, scope)
	}
	for scope, it := range c.items {
		if it.as(c.meta.Generation).Total() != 0 || it.generation < c.meta.Generation {
			suspects[scope.ProductID] = true
		}
	}
	for product := range c.copied {
		suspects[product] = true // each copy is compared
	}
	for product, state := range c.meta.PowerSets {
		if state == PowerSetReady {
			suspects[product] = true
		}
	}
	return slices.Sorted(maps.Keys(suspects))
}

func same(s stats.Measured, counted stats.Delta) bool {
	return s.Tally == counted.Tally && s.Bytes == counted.Bytes && s.Largest >= counted.Largest && maps.Equal(s.Languages, counted.Languages)
}

// wrong tells what is inconsistent within an item, "" if nothing is.
func (s statisticsItem) wrong(it item) string {
	if n, _ := it[attrTotal].(*types.AttributeValueMemberN); n != nil && n.Value != strconv.Itoa(s.Total()) {
		return fmt.Sprintf("the total is %s, its counts add up to %d", n.Value, s.Total())
	}
	board, want, wantRank := key.Leaders(s.scope.Language), "", ""
	if fives := s.Tally[4]; fives > 0 {
		want, wantRank = board.Value, key.Rank{FiveStars: fives, ProductID: s.scope.ProductID}.SortKey()
	}
	if text(it, board.Index.PartitionKey) != want || text(it, board.Index.SortKey) != wantRank {
		return fmt.Sprintf("with %d fives its place in the leaderboard is %q %q", s.Tally[4], text(it, board.Index.PartitionKey), text(it, board.Index.SortKey))
	}
	return ""
}

// verifyProduct compares one product with its comments until it agrees.
func (s *Store) verifyProduct(ctx context.Context, product string, copied map[string]bool, deadline time.Time) ([]Difference, error) {
	for pause := newPause(); ; {
		differences, err := s.compareProduct(ctx, product, copied)
		if err != nil || len(differences) == 0 || s.now().After(deadline) {
			return differences, err
		}
		if err := pause.wait(ctx); err != nil {
			return nil, err
		}
	}
}

// compareProduct lists what does not agree with the comments in the index all.
// Copies are looked for in partitions where some were seen, and where there
// should be some.
func (s *Store) compareProduct(ctx context.Context, product string, copied map[string]bool) ([]Difference, error) {
	var differences []Difference
	differ := func(format string, args ...any) {
		differences = append(differences, Difference{product, fmt.Sprintf(format, args...)})
	}
	meta, err := s.Meta(ctx)
	if err != nil {
		return nil, err
	}
	counted := stats.Deltas{}
	want := map[string]map[string]bool{} // partition of copies to what is in it
	power := meta.PowerSets[product]
	err = s.eachComment(ctx, product, func(c *Comment) {
		counted.Change(nil, &stats.Counted{ProductID: product, Language: c.Language, Rating: c.Rating, Bytes: c.size}, 0)
		if power != PowerSetReady {
			return
		}
		for _, p := range copyKeys(product, c.Language, c.Rating) {
			if want[p.Value] == nil {
				want[p.Value] = map[string]bool{}
			}
			want[p.Value][fingerprint(c)] = true
		}
	})
	if err != nil {
		return nil, err
	}
	items, err := s.productItems(ctx, product)
	if err != nil {
		return nil, err
	}
	for sk, it := range items {
		language, ok := key.ParseStatisticsSK(sk)
		if !ok {
			continue
		}
		scope := stats.Scope{ProductID: product, Language: language}
		read, err := statisticsOf(scope, it)
		if err != nil {
			return nil, err
		}
		if wrong := read.wrong(it); wrong != "" {
			differ("%s: %s", sk, wrong)
		}
		if read.generation < meta.Generation {
			differ("%s: it is left over from before the last rebuild", sk)
		}
		if counted[scope] == nil {
			counted[scope] = &stats.Delta{}
		}
		if have := read.as(meta.Generation); !same(have, *counted[scope]) {
			differ("%s: it counts %v %v of %v bytes and at most %d, the comments are %v %v of %v and %d", sk,
				have.Tally, spellCounts(have.Languages), have.Bytes, have.Largest,
				counted[scope].Tally, spellCounts(counted[scope].Languages), counted[scope].Bytes, counted[scope].Largest)
		}
		delete(counted, scope)
	}
	for _, scope := range counted.Scopes() {
		differ("%s: it is missing, the comments are %v", key.StatisticsSK(scope.Language), counted[scope].Tally)
	}
	if power == PowerSetOff || power == PowerSetReady {
		if err := s.compareCopies(ctx, product, want, copied, differ); err != nil {
			return nil, err
		}
	}
	return differences, nil
}

func spellCounts(counts map[string]int) string {
	parts := make([]string, 0, len(counts))
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, name+":"+strconv.Itoa(counts[name]))
	}
	return "{" + strings.Join(parts, " ") + "}"
}
