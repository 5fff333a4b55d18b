// Package verify compares indexes with comments.
//
//	a comment of the scan     its entries are read, and must be as computed from it
//	an entry of the scan      its comment is read, and must have this entry
//	a partition with sums     its comments are read, and must add up to the sums
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
		candidates: map[string]map[place]bool{},
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
}

// place identifies an entry of an index.
type place struct {
	of int // number of the index
	in key.Index
	at index.Key
}

// entry is an entry of the scan.
type entry struct {
	place
	index.Subject
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
	var comment *item.Stored
	if _, ok := key.CommentID(table.Text(it, key.PK)); ok && !item.IsDeleted(it) {
		read, err := item.Read(it, "")
		if err != nil {
			return err
		}
		comment = &read
	}
	var of []index.Key
	if comment != nil {
		sums, err := v.sumsOf(ctx, now, comment, it)
		if err != nil {
			return err
		}
		of = slices.Collect(maps.Keys(sums))
	}
	for _, x := range v.sums {
		if zero, ok := x.SumOf(it); ok {
			of = append(of, zero.At)
		}
	}
	v.mu.Lock()
	for _, at := range of {
		v.partitions[at.PK] = true
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

// observe reads the entries of comments, and makes comments with missing or wrong entries
// candidates.
func (v *verification) observe(ctx context.Context, now settings.Settings, images []*index.Image) error {
	if len(images) == 0 {
		return nil
	}
	wanted := make([][]expected, len(images))
	var all []expected
	for i, im := range images {
		var err error
		if wanted[i], err = v.expectedOf(ctx, now, im); err != nil {
			return err
		}
		all = append(all, wanted[i]...)
	}
	stored, err := v.read(ctx, all, false)
	if err != nil {
		return err
	}
	for i, im := range images {
		if slices.ContainsFunc(wanted[i], func(d expected) bool { return !d.is(stored) }) {
			v.addCandidate(im.ID)
		}
	}
	return nil
}

// trace reads the comments of entries, and makes comments that must not have them candidates.
func (v *verification) trace(ctx context.Context, now settings.Settings, places []entry) error {
	of := map[string][]entry{}
	for _, e := range places {
		of[e.Comment] = append(of[e.Comment], e)
	}
	if err := v.spend(ctx, float64(len(of))); err != nil {
		return err
	}
	err := item.EachOf(ctx, v.t, slices.Collect(maps.Keys(of)), func(it table.Item, c *item.Stored) error {
		wanted, err := v.expectedOf(ctx, now, &index.Image{Stored: *c, Item: it})
		of[c.ID] = slices.DeleteFunc(of[c.ID], func(e entry) bool {
			return slices.ContainsFunc(wanted, func(d expected) bool { return d.place == e.place })
		})
		return err
	})
	for id, left := range of {
		for _, e := range left {
			if x, ok := v.entries[e.of].(index.Switched); !ok || !x.Partial(now, e.Product) {
				v.addCandidate(id, e.place)
			}
		}
	}
	return err
}

// addCandidate adds a comment that may differ to the candidates, with its entries that may be wrong.
func (v *verification) addCandidate(id string, found ...place) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.candidates[id] == nil {
		v.candidates[id] = map[place]bool{}
	}
	for _, p := range found {
		v.candidates[id][p] = true
	}
}

// expected is an entry that a comment must have.
type expected struct {
	place
	attributes table.Item
}

// is reports whether the entry is stored with the right attributes. Its generation does not matter.
func (d expected) is(stored map[place]table.Item) bool {
	it, ok := stored[d.place]
	return ok && maps.EqualFunc(it, d.attributes, table.SameValue)
}

// expectedOf returns the entries that a comment must have, without the entries of indexes that are
// Partial for its product.
func (v *verification) expectedOf(ctx context.Context, now settings.Settings, im *index.Image) (all []expected, err error) {
	for n, x := range v.entries {
		shown := im.State == item.Published || !x.Projected()
		if s, ok := x.(index.Switched); !shown || ok && s.Partial(now, im.ProductID) {
			continue
		}
		entries, err := x.Entries(ctx, now, im)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			all = append(all, expected{place{n, e.In, e.At}, e.Attributes})
		}
	}
	return all, nil
}

// read returns the stored entries without keys and generation.
func (v *verification) read(ctx context.Context, all []expected, consistent bool) (map[place]table.Item, error) {
	stored := map[place]table.Item{}
	for n := range v.entries {
		for _, in := range []key.Index{key.Table, key.Columns} {
			t := v.t
			if in == key.Columns {
				t = t.Columns()
			}
			var keys []table.Item
			met := map[place]bool{}
			for _, d := range all {
				if d.of == n && d.in == in && !met[d.place] {
					met[d.place], keys = true, append(keys, d.at.Item(in))
				}
			}
			if len(keys) == 0 {
				continue
			}
			if err := v.spend(ctx, float64(len(keys))/2); err != nil {
				return nil, err
			}
			err := t.GetMany(ctx, keys, consistent, func(it table.Item) error {
				at := place{n, in, index.KeyOf(it)}
				for _, name := range []string{key.PK, key.SK, item.AttrGeneration} {
					delete(it, name)
				}
				stored[at] = it
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return stored, nil
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
				if len(v.found.Differences) < MostDifferences {
					v.found.Differences = append(v.found.Differences, Difference{of, what})
				} else {
					v.found.More++
				}
			}
			return nil
		}
		if err := pause.Wait(ctx); err != nil {
			return table.Failed("compare "+of, err)
		}
	}
}

// diff compares a comment, which may be deleted, with its entries.
func (v *verification) diff(ctx context.Context, now settings.Settings, id string, found []place) (differences []string, err error) {
	var wanted []expected
	err = item.EachOf(ctx, v.t, []string{id}, func(it table.Item, c *item.Stored) (err error) {
		wanted, err = v.expectedOf(ctx, now, &index.Image{Stored: *c, Item: it})
		return err
	})
	if err != nil {
		return nil, err
	}
	all := slices.Clone(wanted)
	for _, p := range found {
		all = append(all, expected{place: p})
	}
	stored, err := v.read(ctx, all, true)
	if err != nil {
		return nil, err
	}
	differ := func(p place, what string) {
		differences = append(differences, fmt.Sprintf("its entry in %s, %s, %s", v.entries[p.of].Name(), p.at.PK, what))
	}
	for _, d := range wanted {
		if _, there := stored[d.place]; !there {
			differ(d.place, "is missing")
		} else if !d.is(stored) {
			differ(d.place, "is outdated")
		}
	}
	for _, p := range found {
		if _, there := stored[p]; there && !slices.ContainsFunc(wanted, func(d expected) bool { return d.place == p }) {
			differ(p, "does not belong there")
		}
	}
	return differences, nil
}

// sumsOf returns the sums of a comment by item and index.
func (v *verification) sumsOf(ctx context.Context, now settings.Settings, c *item.Stored, it table.Item) (map[index.Key][]index.Sum, error) {
	im := &index.Image{Stored: *c, Item: it}
	change := index.Change{ID: c.ID, Is: im}
	if c.State == item.Published {
		change.After = im
	}
	sums := map[index.Key][]index.Sum{}
	for n, x := range v.sums {
		deltas, err := x.Sums(ctx, now, change)
		if err != nil {
			return nil, err
		}
		for _, d := range deltas {
			v.add(sums, n, d)
		}
	}
	return sums, nil
}

func (v *verification) add(sums map[index.Key][]index.Sum, n int, d index.Delta) {
	if sums[d.At] == nil {
		sums[d.At] = make([]index.Sum, len(v.sums))
	}
	if sums[d.At][n] == nil {
		sums[d.At][n] = d.Sum
	} else {
		sums[d.At][n].Add(d.Sum)
	}
}

// diffSums compares the sums of a partition with its comments.
func (v *verification) diffSums(ctx context.Context, now settings.Settings, pk string) (differences []string, err error) {
	want := map[index.Key][]index.Sum{}
	err = v.eachIn(ctx, pk, func(it table.Item, c *item.Stored) error {
		sums, err := v.sumsOf(ctx, now, c, it)
		for at, of := range sums {
			for n, sum := range of {
				if at.PK == pk && sum != nil {
					v.add(want, n, index.Delta{At: at, Sum: sum})
				}
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	items := map[index.Key]table.Item{}
	err = v.t.Each(ctx, key.Partition{Index: key.Table, Value: pk}, func(it table.Item) error {
		items[index.KeyOf(it)] = it
		for n, x := range v.sums {
			if zero, ok := x.SumOf(it); ok {
				v.add(want, n, zero)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, at := range slices.SortedFunc(maps.Keys(want), index.Key.Compare) {
		is, err := index.SumItemOf(at, items[at])
		if err != nil {
			return nil, err
		}
		differ := func(what ...string) {
			for _, what := range what {
				differences = append(differences, at.SK+": "+what)
			}
		}
		if is.Was != nil && is.Generation < now.Generation {
			differ("it is obsolete: the last rebuild did not write it")
		}
		for _, sum := range want[at] {
			if sum == nil {
				continue
			}
			what, err := sum.Diff(ctx, now, is)
			if err != nil {
				return nil, err
			}
			differ(what...)
		}
	}
	return differences, nil
}

// eachIn calls each with the comments that the sums of a partition count.
func (v *verification) eachIn(ctx context.Context, pk string, each index.EachItem) error {
	if product, ok := key.ProductID(pk); ok {
		met := map[string]bool{}
		return item.EachWhole(ctx, v.t, product, func(it table.Item, c *item.Stored) error {
			if met[c.ID] || index.Published(c) != product {
				return nil
			}
			met[c.ID] = true
			if err := v.spend(ctx, 1); err != nil {
				return err
			}
			return each(it, c)
		})
	}
	for _, x := range v.sums {
		if x, ok := x.(index.Spread); ok {
			return x.Comments(ctx, pk, each)
		}
	}
	return nil
}
