package index

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/pending/names"
	"product-comments/store/settings"
	"product-comments/store/stats"
	"product-comments/store/table"
)

// Attributes of an item of sums besides its keys.
const (
	attrSumRevision = "rev"               // N, another one with every change
	attrSumGen      = item.AttrGeneration // N, absent for 0
	attrSumNames    = "names"             // B, a names.Set: the names of the last writes that it counts
)

// zeroKept is for how long an item that counts nothing stays for the names that it
// holds: for longer than any process asks for one.
const zeroKept = 7 * names.Age

// Head is what an item of sums says besides them. The zero value is that of no item.
type Head struct {
	Revision   int // 0 if there is no item
	Generation int
	Names      names.Set // of the writes that it counts
}

// ParseHead reads the head of an item.
func ParseHead(it table.Item) (h Head, err error) {
	if err := table.Numbers(it, map[string]*int{attrSumRevision: &h.Revision, attrSumGen: &h.Generation}); err != nil {
		return h, err
	}
	if _, ok := it[attrSumNames]; ok {
		if h.Names, err = names.ParseSet(table.Bytes(it, attrSumNames)); err != nil {
			return h, table.Damaged(it, err)
		}
	}
	return h, nil
}

// head returns the head of an item that embeds it.
func (h Head) head() Head { return h }

// NamesAs returns the names of writes that the sums count as a generation sees them.
func (h Head) NamesAs(generation int) names.Set {
	if h.Generation < generation {
		return names.Set{}
	}
	return h.Names
}

// Write returns the change of an item to one of other sums with the names of writes that
// they count, on the condition that it is still as read. Zero sums have no item,
// unless it holds names; then it expires after a time.
func (h Head) Write(t *table.Table, it table.Item, zero bool, projected names.Set, generation int) table.Write {
	if zero && projected.IsEmpty() {
		w := table.Write{Key: table.Primary(it), Delete: h.Revision > 0} // nothing there, nothing to be there: hold that
		return w.IfRevision(attrSumRevision, h.Revision)
	}
	it[attrSumRevision] = table.N(t.Random().NextRevision(h.Revision))
	it[attrSumNames] = table.B(projected.Bytes())
	if zero {
		it[item.AttrExpires] = table.N(int(t.Now().Add(zeroKept).Unix()))
	}
	if generation > 0 {
		it[attrSumGen] = table.N(generation)
	}
	return table.Write{Put: it}.IfRevision(attrSumRevision, h.Revision)
}

// relatedAtOnce is for how many items Related is called at once.
const relatedAtOnce = 16

// Aggregate says how sums over comments are kept: an item for each of some keys.
type Aggregate[K comparable, I interface{ head() Head }, D any] struct {
	Table   *table.Table
	Compare func(a, b K) int
	Key     func(K) table.Item
	Parse   func(K, table.Item) (I, error)
	// Add returns the item with a change, but for its head, and whether it counts nothing
	// then; stats.ErrNegative if the change takes away what was never counted.
	Add func(of K, old I, change D, generation int) (it table.Item, zero bool, err error)
	// Related returns the writes of other items that change in the transaction of an item,
	// on the condition of its revision, and the item with what it notes of them. The error is
	// stats.ErrNegative if what is stored does not fit the item. Related is nil if there are
	// no such items.
	Related func(ctx context.Context, of K, old I, change D, generation int) (noted I, writes []table.Write, err error)
	// IsZero reports whether a sum of changes changes nothing.
	IsZero func(D) bool
}

// Read reads the items of keys, as far as they exist. It returns an Unavailable error if the
// store does not answer.
func (a Aggregate[K, I, D]) Read(ctx context.Context, of []K, consistent bool) (map[K]I, error) {
	byItem := make(map[string]K, len(of))
	keys := make([]table.Item, 0, len(of))
	for _, k := range of {
		at := a.Key(k)
		name := table.Write{Key: at}.Item()
		if _, twice := byItem[name]; !twice {
			keys, byItem[name] = append(keys, at), k
		}
	}
	out := make(map[K]I, len(keys))
	err := a.Table.GetMany(ctx, keys, consistent, func(it table.Item) (err error) {
		k := byItem[table.Write{Key: it}.Item()]
		out[k], err = a.Parse(k, it)
		return err
	})
	return out, err
}

// Flush reads the items that changes change and returns the writes of these, also of items
// whose sums become what they were by several changes: clients may ask for each of the
// names. count adds a change to sums, and returns the keys of which the items get the name
// of the change.
func (a Aggregate[K, I, D]) Flush(ctx context.Context, generation int, changes []Change, count func(c Change, sums map[K]D) (named []K, err error)) ([]table.Write, error) {
	sums, named := map[K]D{}, map[K][]*Change{}
	for i := range changes {
		c := &changes[i]
		of, err := count(*c, sums)
		if err != nil {
			return nil, err
		}
		for _, k := range of {
			if n := len(named[k]); c.Name.IsNumbered() && (n == 0 || named[k][n-1] != c) {
				named[k] = append(named[k], c)
			}
		}
	}
	maps.DeleteFunc(sums, func(k K, sum D) bool { return a.IsZero(sum) && len(named[k]) == 0 })
	keys := slices.SortedFunc(maps.Keys(sums), a.Compare)
	read, err := a.Read(ctx, keys, true)
	if err != nil {
		return nil, err
	}
	sets := make([]names.Set, len(keys))
	for i, k := range keys {
		old := read[k].head()
		if old.Generation > generation {
			return nil, ErrOutdated
		}
		sets[i] = old.NamesAs(generation)
		for _, c := range named[k] {
			sets[i] = sets[i].With(c.Name, c.Created)
		}
	}
	noted, related, err := a.related(ctx, keys, read, sums, generation)
	if err != nil {
		return nil, err
	}
	writes := make([]table.Write, len(keys))
	for i, k := range keys {
		it, zero, err := a.Add(k, noted[i], sums[k], generation)
		if err != nil {
			return nil, err
		}
		writes[i] = read[k].head().Write(a.Table, it, zero, sets[i], generation)
	}
	return append(writes, related...), nil
}

// related returns the writes of related items, and the items with what they note of them.
func (a Aggregate[K, I, D]) related(ctx context.Context, keys []K, read map[K]I, sums map[K]D, generation int) (noted []I, writes []table.Write, err error) {
	noted = make([]I, len(keys))
	for i, k := range keys {
		noted[i] = read[k]
	}
	if a.Related == nil {
		return noted, nil, nil
	}
	parts := make([][]table.Write, len(keys))
	reading, ctx := errgroup.WithContext(ctx)
	reading.SetLimit(relatedAtOnce)
	for i, k := range keys {
		reading.Go(func() (err error) {
			noted[i], parts[i], err = a.Related(ctx, k, noted[i], sums[k], generation)
			if errors.Is(err, stats.ErrNegative) {
				err = a.unlessChanged(ctx, k, read[k], err)
			}
			return err
		})
	}
	err = reading.Wait()
	return noted, slices.Concat(parts...), err
}

// unlessChanged returns an error of Related; or a Refused one if another process has changed
// the item since it was read, and so perhaps the related ones. Reading the item again would
// not do: a read may meet a transaction half done.
func (a Aggregate[K, I, D]) unlessChanged(ctx context.Context, k K, old I, met error) error {
	check := table.Write{Key: a.Key(k)}.IfRevision(attrSumRevision, old.head().Revision)
	return cmp.Or(a.Table.Transact(ctx, "check a sum", check), met)
}

// Newest calls read with settings under which sums are trusted, once more with fresh
// settings if it met sums of a newer generation. It returns the error of read, or
// Unavailable.
func Newest(ctx context.Context, s *settings.Store, read func(now settings.Settings) (newer bool, err error)) error {
	now, err := s.Recent(ctx)
	for refreshed := false; err == nil; refreshed = true {
		if err := now.Trusted(); err != nil {
			return err
		}
		newer, err := read(now)
		if err != nil || !newer {
			return err
		}
		if refreshed {
			return errs.Errorf(errs.Unavailable, "The statistics have just been rebuilt, try again")
		}
		if now, err = s.Read(ctx); err != nil {
			return err
		}
	}
	return err
}
