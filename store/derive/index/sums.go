package index

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"product-comments/store/comment/item"
	"product-comments/store/comment/stats"
	"product-comments/store/derive/pending/names"
	"product-comments/store/errs"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Attributes of an item of sums besides its keys.
const (
	attrSumRevision = "rev"               // N, different after every change
	attrSumGen      = item.AttrGeneration // N, absent for 0
	attrSumNames    = "names"             // B, a names.Set: the names of the last writes that it counts
)

// zeroKept is the time until an item that counts nothing expires. Until then readers find the names
// in it: no process asks for a name after that time.
const zeroKept = 7 * names.Age

// Head has the attributes of an item of sums apart from the sums. The zero value means that there
// is no item.
type Head struct {
	Revision   int // 0 if there is no item
	Generation int
	Names      names.Set // of the writes that it counts
}

// ParseHead reads the head of an item.
func ParseHead(it table.Item) (h Head, err error) {
	if err := table.Read(it, table.Fields{attrSumRevision: &h.Revision, attrSumGen: &h.Generation}); err != nil {
		return h, err
	}
	if _, ok := it[attrSumNames]; ok {
		if h.Names, err = names.ParseSet(table.Bytes(it, attrSumNames)); err != nil {
			return h, table.Damaged(it, err)
		}
	}
	return h, nil
}

// NamesAs returns the names of the writes that the sums count, none if the item is older than the
// generation.
func (h Head) NamesAs(generation int) names.Set {
	if h.Generation < generation {
		return names.Set{}
	}
	return h.Names
}

// Write returns the write that replaces an item by one with other sums and the names of the writes
// that they count, on the condition that the item has not changed since it was read. Zero sums have
// no item unless it has names; such an item expires.
func (h Head) Write(t *table.Table, it table.Item, zero bool, projected names.Set, generation int) table.Write {
	if zero && projected.IsEmpty() {
		w := table.Write{Key: table.Primary(it), Delete: h.Revision > 0} // without an item, only checks that there is still none
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

// SumItem is an item of sums.
type SumItem struct {
	At Key
	Head
	Was table.Item // as read, nil if there is none

	// Put is the new item without its Head.
	Put  table.Item
	Zero bool // Put counts nothing
	// Also are writes of other items in the same transaction, which depends on the revision of this
	// item.
	Also []table.Write
}

// sumItem collects what changes add to an item.
type sumItem struct {
	SumItem
	sums  []Sum     // by index, nil for an index without a sum
	named []*Change // the changes with names that the item records
}

// read sets the fields from a stored item.
func (s *SumItem) read(it table.Item) (err error) {
	s.Was = it
	s.Head, err = ParseHead(it)
	return err
}

// add adds the delta of an index for a change.
func (s *sumItem) add(n int, c *Change, d Delta) {
	if d.Named && c.Name.IsNumbered() && (len(s.named) == 0 || s.named[len(s.named)-1] != c) {
		s.named = append(s.named, c)
	}
	if s.sums[n] == nil {
		s.sums[n] = d.Sum
	} else {
		s.sums[n].Add(d.Sum)
	}
}

func (s *sumItem) isZero() bool {
	return !slices.ContainsFunc(s.sums, func(sum Sum) bool { return sum != nil && !sum.IsZero() })
}

// appliers is the number of items that sums are applied to at once.
const appliers = 16

// flushSums reads the items of sums that effects change, and returns their writes. It also writes
// items with unchanged sums if effects have names: processes look for each of the names.
func (e *Engine) flushSums(ctx context.Context, now settings.Settings, effects []*Effect) ([]table.Write, error) {
	by := map[Key]*sumItem{}
	for _, one := range effects {
		for n, deltas := range one.deltas {
			for _, d := range deltas {
				if by[d.At] == nil {
					by[d.At] = &sumItem{SumItem: SumItem{At: d.At}, sums: make([]Sum, len(e.sums))}
				}
				by[d.At].add(n, &one.Change, d)
			}
		}
	}
	maps.DeleteFunc(by, func(_ Key, s *sumItem) bool { return s.isZero() && len(s.named) == 0 })
	all := slices.SortedFunc(maps.Values(by), func(a, b *sumItem) int { return a.At.Compare(b.At) })
	keys := make([]table.Item, len(all))
	for i, s := range all {
		keys[i] = table.KeyOf(s.At.PK, s.At.SK)
	}
	err := e.t.GetMany(ctx, keys, true, func(it table.Item) error { return by[KeyOf(it)].read(it) })
	if err != nil {
		return nil, err
	}
	applying, ctx := errgroup.WithContext(ctx)
	applying.SetLimit(appliers)
	for _, s := range all {
		if s.Generation > now.Generation {
			return nil, cmp.Or(applying.Wait(), ErrOutdated)
		}
		applying.Go(func() error { return e.apply(ctx, now, s) })
	}
	if err := applying.Wait(); err != nil {
		return nil, err
	}
	writes, also := make([]table.Write, len(all)), []table.Write(nil)
	for i, s := range all {
		counted := s.NamesAs(now.Generation)
		for _, c := range s.named {
			counted = counted.With(c.Name, c.Created)
		}
		writes[i] = s.Write(e.t, s.Put, s.Zero, counted, now.Generation)
		also = append(also, s.Also...)
	}
	return append(writes, also...), nil
}

// apply applies the sums of an item, in the order of their indexes. If a count falls below zero,
// another process may have changed the item and the items it depends on since they were read: then
// apply returns a Refused error. A transaction checks that, because a plain read may see another
// transaction half done.
func (e *Engine) apply(ctx context.Context, now settings.Settings, s *sumItem) error {
	for _, sum := range s.sums {
		if sum == nil {
			continue
		}
		if err := sum.Apply(ctx, now, &s.SumItem); errors.Is(err, stats.ErrNegative) {
			check := table.Write{Key: table.KeyOf(s.At.PK, s.At.SK)}.IfRevision(attrSumRevision, s.Revision)
			return cmp.Or(e.t.Transact(ctx, "check a sum", check), err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// Compare orders keys.
func (k Key) Compare(o Key) int {
	return cmp.Or(strings.Compare(k.PK, o.PK), strings.Compare(k.SK, o.SK))
}

// Newest calls read with settings under which sums are trusted, and a second time with fresh
// settings if read met sums of a newer generation. It returns the error of read, or an Unavailable
// error while sums are not trusted.
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

// ReadSums reads items of sums and calls each with every one that exists. It returns the first
// error of each.
func ReadSums(ctx context.Context, t *table.Table, keys []Key, consistent bool, each func(Key, table.Item) error) error {
	var all []table.Item
	met := map[Key]bool{}
	for _, k := range keys {
		if !met[k] {
			met[k], all = true, append(all, table.KeyOf(k.PK, k.SK))
		}
	}
	return t.GetMany(ctx, all, consistent, func(it table.Item) error { return each(KeyOf(it), it) })
}

// SumItemOf returns an item of sums as read, nil if there is none.
func SumItemOf(at Key, it table.Item) (*SumItem, error) {
	s := &SumItem{At: at}
	if it == nil {
		return s, nil
	}
	return s, s.read(it)
}
