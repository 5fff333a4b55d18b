// Package verify compares indexes with comments.
//
//	a comment of the scan     its entries are read, and must be as computed from it
//	an entry of the scan      its comment is read, and must have this entry
//	a partition with sums     its comments are read, and must add up to the sums
//	sums of all products      the comments of the scan must add up to them, unless they change meanwhile
//
// A scan takes time, and clients write during it. So every subject that may differ is compared
// again by itself, until it agrees or Options.Patience is over. A verification keeps the names of
// products in memory, but no comments. Besides the scan it costs half a read unit for each entry,
// one for the comment of each entry, and one to read each comment again.
//
// All methods that call the store return an Unavailable error if the store does not answer.
package verify

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/comment/item"
	"product-comments/store/derive/index"
	"product-comments/store/derive/projector"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Options are options of a verification.
type Options struct {
	// Rate bounds the read capacity units a second; 0 for no bound.
	Rate float64
	// Progress, unless nil, is called regularly with the number of items scanned.
	Progress func(items int64)
	// Patience is how long a subject may differ before that is reported: clients write, and the
	// projector may be behind.
	Patience time.Duration
}

// Verified is the result of a verification.
type Verified struct {
	State       settings.State
	Comments    int64
	Entries     map[string]int64 // number of entries by name of the index
	Differences []Difference     // sorted, MostDifferences at most; empty if indexes and comments agree
	More        int              // number of other differences
}

// MostDifferences bounds the memory of a verification of a table without an index: a difference for
// each comment says no more than some of them.
const MostDifferences = 1000

// Difference is a disagreement of an index with the comments.
type Difference struct {
	Of   string // comment "c1", product "42"
	What string // a sentence without the subject
}

func (d Difference) String() string { return d.Of + ": " + d.What }

func (f *Verified) add(d Difference) {
	if len(f.Differences) < MostDifferences {
		f.Differences = append(f.Differences, d)
	} else {
		f.More++
	}
}

// comparers is the number of subjects that are compared at once.
const comparers = 16

// Run compares all indexes with the comments. It compares nothing unless the statistics are kept;
// see Verified.State.
func Run(ctx context.Context, p *projector.Projector, o Options) (Verified, error) {
	ctx = table.Patiently(ctx)
	now, err := p.Settings().Read(ctx)
	if err != nil || now.State != settings.StateKept {
		return Verified{State: now.State}, err
	}
	v := &verification{
		t: p.Table(), settings: p.Settings(), o: o, compared: index.Indexes[index.Compared](p.Engine()),
		entries: index.Indexes[index.Entries](p.Engine()), sums: index.Indexes[index.Sums](p.Engine()),
		found: Verified{State: now.State, Entries: map[string]int64{}}, partitions: map[string]bool{}, subjects: map[subject]bool{},
		candidates: map[string]map[place]bool{}, totals: totals{sums: map[index.Key][]index.Sum{}},
	}
	for _, x := range index.Indexes[index.Global](p.Engine()) {
		v.totals.pks = append(v.totals.pks, x.Global()...)
	}
	if v.totals.before, err = v.readTotals(ctx); err != nil {
		return v.found, err
	}
	for _, t := range []*table.Table{v.t, v.t.Columns()} {
		scanner := t.NewScanner(table.ScanOptions{Rate: o.Rate, Progress: o.Progress})
		v.spend = scanner.Spend
		if err := scanner.Run(ctx, func(ctx context.Context, it table.Item) error { return v.look(ctx, now, it) }); err != nil {
			return v.found, err
		}
	}
	if err := v.flush(ctx, now, 0); err != nil {
		return v.found, err
	}
	if err := v.compareTotals(ctx, now); err != nil {
		return v.found, err
	}
	err = v.compare(ctx)
	return v.found, err
}

// verification is a verification under way.
type verification struct {
	t        *table.Table
	settings *settings.Store
	o        Options
	spend    func(ctx context.Context, units float64) error // waits if Rate is exceeded
	entries  []index.Entries
	sums     []index.Sums
	compared []index.Compared

	mu         sync.Mutex
	found      Verified
	images     []*index.Image            // comments of the scan not compared yet
	places     []entry                   // entries of the scan not compared yet
	candidates map[string]map[place]bool // comments that may differ, with their entries that may be wrong
	partitions map[string]bool           // partition keys of sums
	subjects   map[subject]bool
	totals     totals
}

// subject is a subject of an index.Compared.
type subject struct {
	of   int
	name string
}

// batch is the number of comments, or entries, of the scan that are compared at once.
const batch = table.MaxBatchGet

// look collects an item of the scan.
func (v *verification) look(ctx context.Context, now settings.Settings, it table.Item) error {
	var comment, counted *item.Stored // a tombstone is counted, and no comment
	if _, ok := key.CommentID(table.Text(it, key.PK)); ok {
		read, err := item.Read(it, "")
		if err != nil {
			return err
		}
		if counted = &read; !item.IsDeleted(it) {
			comment = counted
		}
	}
	of, err := v.count(ctx, now, counted, it)
	if err != nil {
		return err
	}
	for _, x := range v.sums {
		if zero, ok := x.SumOf(it); ok {
			of = append(of, zero.At)
		}
	}
	v.mu.Lock()
	for _, at := range of {
		if !v.totals.has(at) {
			v.partitions[at.PK] = true
		}
	}
	for n, x := range v.compared {
		if name := x.Subject(it, comment); name != "" {
			v.subjects[subject{n, name}] = true
		}
	}
	if comment != nil {
		v.found.Comments++
		v.images = append(v.images, &index.Image{Stored: *comment, Item: it})
	}
	for n, x := range v.entries {
		if of, ok := x.EntryOf(it); ok {
			v.found.Entries[x.Name()]++
			v.places = append(v.places, entry{place{n, inOf(it), index.KeyOf(it)}, of})
		}
	}
	v.mu.Unlock()
	return v.flush(ctx, now, batch)
}

// inOf returns the table of an item: only key.Columns has binary sort keys.
func inOf(it table.Item) key.Index {
	if table.Bytes(it, key.SK) != nil {
		return key.Columns
	}
	return key.Table
}

// flush compares the collected comments if their number is at least the given one, and likewise the
// collected entries.
func (v *verification) flush(ctx context.Context, now settings.Settings, least int) error {
	var images []*index.Image
	var places []entry
	v.mu.Lock()
	if len(v.images) >= max(1, least) {
		images, v.images = v.images, nil
	}
	if len(v.places) >= max(1, least) {
		places, v.places = v.places, nil
	}
	v.mu.Unlock()
	if err := v.observe(ctx, now, images); err != nil {
		return err
	}
	return v.trace(ctx, now, places)
}

// compare compares each candidate, partition with sums and subject by itself.
func (v *verification) compare(ctx context.Context) error {
	comparing, ctx := errgroup.WithContext(ctx)
	comparing.SetLimit(comparers)
	deadline := v.t.Now().Add(v.o.Patience)
	until := func(of string, diff func(context.Context, settings.Settings) ([]string, error)) {
		comparing.Go(func() error { return v.agree(ctx, of, deadline, diff) })
	}
	for id, found := range v.candidates {
		until(fmt.Sprintf("comment %q", id), func(ctx context.Context, now settings.Settings) ([]string, error) {
			return v.diff(ctx, now, id, slices.Collect(maps.Keys(found)))
		})
	}
	for pk := range v.partitions {
		until(nameOf(pk), func(ctx context.Context, now settings.Settings) ([]string, error) { return v.diffSums(ctx, now, pk) })
	}
	for s := range v.subjects {
		x := v.compared[s.of]
		until(x.Name()+" of "+s.name, func(ctx context.Context, _ settings.Settings) ([]string, error) { return x.Diff(ctx, s.name) })
	}
	err := comparing.Wait()
	slices.SortFunc(v.found.Differences, func(a, b Difference) int { return cmp.Or(strings.Compare(a.Of, b.Of), strings.Compare(a.What, b.What)) })
	return err
}

// nameOf returns the name of a partition in differences.
func nameOf(pk string) string {
	if product, ok := key.ProductID(pk); ok {
		return fmt.Sprintf("product %q", product)
	}
	return pk
}

// agree calls diff until it returns no differences, and reports the differences that remain at the
// deadline.
func (v *verification) agree(ctx context.Context, of string, deadline time.Time, diff func(context.Context, settings.Settings) ([]string, error)) error {
	for pause := v.t.NewPause(); ; {
		now, err := v.settings.Read(ctx)
		if err != nil {
			return err
		}
		differences, err := diff(ctx, now)
		if err != nil {
			return err
		}
		if len(differences) == 0 || v.t.Now().After(deadline) {
			v.mu.Lock()
			defer v.mu.Unlock()
			for _, what := range differences {
				v.found.add(Difference{of, what})
			}
			return nil
		}
		if err := pause.Wait(ctx); err != nil {
			return table.Failed("compare "+of, err)
		}
	}
}
