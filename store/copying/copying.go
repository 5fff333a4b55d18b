// Package copying makes a table into an exact copy of another one, perhaps in
// another engine: of its comments, with their ids, times, versions and owners, of
// what makes repeated writes harmless, and of its dictionaries, settings and notes
// of erasures, and how far comments were brought to the definitions of their attributes.
// What is derived from comments, such as statistics, is not copied:
// the copy derives it by itself.
//
// A pass looks at every item of both tables, writes what differs and deletes what
// is too much. So passes can be stopped and made again at will, and one that
// finds nothing to do proves that the copy is complete.
package copying

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Options say how a table is copied.
type Options struct {
	// Source names the table that is copied, for the note in the copy of where it
	// comes from.
	Source string
	// Rate bounds the capacity units a second of the scans; 0 is without bound.
	Rate float64
	// Progress is called now and then with how many items of a step were looked at, by
	// several goroutines at once.
	Progress func(step string, items int64)
}

// Done is what passes did.
type Done struct {
	Comments int64 // of the copy
	Others   int64 // items besides comments that were copied
	Written  int64 // in all passes
	Deleted  int64
}

// noteName is under which name the copy notes where it comes from.
const noteName = "copy-of"

// In the mark of a copy that may be written to: its comments are complete, and
// then also counted.
const (
	sealed    = "sealed "
	completed = "completed "
)

// maxPasses is after how many passes a source is too busy to be copied.
const maxPasses = 4

// ErrBusy says that the source was written to during every pass.
var ErrBusy = errors.New("the table was written to during the whole copy: stop its servers and run this again")

// Begin checks that a table may become a copy: it is empty, or a copy of this source was begun
// in it before. If done, its comments are already complete: passes would undo later writes, and
// only counting remains. It returns a Conflict error otherwise, and Unavailable if the store
// does not answer.
func Begin(ctx context.Context, to *store.Store, source string) (done bool, err error) {
	noted, err := to.Settings().Note(ctx, noteName)
	switch {
	case err != nil:
		return false, err
	case noted == source:
		return false, nil
	case noted == sealed+source:
		return true, nil
	case noted == completed+source:
		return false, errs.Errorf(errs.Conflict,
			"Table %q is already a complete copy and may have been written to since: name another table", to.Table())
	case noted != "":
		return false, errs.Errorf(errs.Conflict, "Table %q is a copy of another table, %s", to.Table(),
			strings.TrimPrefix(strings.TrimPrefix(noted, completed), sealed))
	}
	empty, err := to.Empty(ctx)
	if err != nil {
		return false, err
	}
	if !empty {
		return false, errs.Errorf(errs.Conflict,
			"Table %q has comments, which a copy would delete: name an empty table", to.Table())
	}
	return false, to.Settings().SetNote(ctx, noteName, source)
}

// Seal notes that the copy's comments are complete: it may be written to from
// now on, and no pass is made any more.
func Seal(ctx context.Context, to *store.Store, source string) error {
	return to.Settings().SetNote(ctx, noteName, sealed+source)
}

// Passes makes passes until one finds nothing to do, and then takes the settings
// over. It returns ErrBusy if the source was written to all the time, a Conflict
// error if the source is to be upgraded first, and Unavailable if a table does not answer. It can be called again then.
func Passes(ctx context.Context, from, to *store.Store, o Options) (done Done, err error) {
	ctx = table.Patiently(ctx)
	if err := sameFormat(ctx, from, to); err != nil {
		return done, err
	}
	for n := 1; n <= maxPasses; n++ {
		p := &pass{from: from.Projector().Table(), to: to.Projector().Table(), o: o, n: n}
		if err := p.run(ctx); err != nil {
			return done, err
		}
		done.Comments, done.Others = p.comments.Load(), p.others.Load()
		done.Written += p.written.Load()
		done.Deleted += p.deleted.Load()
		if p.written.Load()+p.deleted.Load() == 0 {
			return done, takeSettings(ctx, from, to)
		}
	}
	return done, ErrBusy
}

// sameFormat returns a Conflict error if a copy would be of another format than its table.
func sameFormat(ctx context.Context, from, to *store.Store) error {
	theirs, err := from.Settings().Read(ctx)
	if err != nil {
		return err
	}
	ours, err := to.Settings().Read(ctx)
	if err == nil && (theirs.Format != ours.Format || theirs.Upgrade != 0) {
		err = errs.Errorf(errs.Conflict,
			"Table %q has format %d and its copy format %d: finish product-comments table upgrade --apply first",
			from.Table(), theirs.Format, ours.Format)
	}
	return err
}

// End notes that the copy is counted, too, so that nothing is left to do.
func End(ctx context.Context, to *store.Store, source string) error {
	return to.Settings().SetNote(ctx, noteName, completed+source)
}

// takeSettings gives the copy what was set by hand. Power sets become complete
// with the rebuild that the copy needs.
func takeSettings(ctx context.Context, from, to *store.Store) error {
	theirs, err := from.Settings().Read(ctx)
	if err != nil {
		return err
	}
	_, err = to.Settings().Change(ctx, func(now *settings.Settings) (bool, error) {
		changed := now.Dictionary != theirs.Dictionary || now.Buckets != theirs.Buckets ||
			now.Attributes != theirs.Attributes || now.Moderated != theirs.Moderated || now.Scoring != theirs.Scoring
		now.Dictionary, now.Buckets, now.Attributes, now.Moderated, now.Scoring = theirs.Dictionary, theirs.Buckets,
			theirs.Attributes, theirs.Moderated, theirs.Scoring
		return changed, nil
	})
	for product, state := range theirs.PowerSets {
		if err != nil || state == settings.IndexDisabled {
			continue
		}
		_, err = to.Settings().ChangeWith(ctx, func(now *settings.Settings) ([]table.Write, bool, error) {
			if now.PowerSets[product] != settings.IndexAbsent {
				return nil, false, nil
			}
			return to.PowerSets().Begin(now, product), true, nil
		})
	}
	return err
}

// pass compares two tables once.
type pass struct {
	from, to *table.Table
	o        Options
	n        int

	comments, others, written, deleted atomic.Int64
}

func (p *pass) run(ctx context.Context) error {
	err := p.eachBatch(ctx, p.from, "comparing", p.bring)
	if err != nil {
		return err
	}
	return p.eachBatch(ctx, p.to, "looking for items that the source does not have", p.remove)
}

// eachBatch calls each with all items of a table that are copied, some at a time.
func (p *pass) eachBatch(ctx context.Context, t *table.Table, step string,
	each func(context.Context, []table.Item) error) error {
	o := table.ScanOptions{Rate: p.o.Rate}
	if p.o.Progress != nil {
		o.Progress = func(items int64) { p.o.Progress(fmt.Sprintf("pass %d, %s", p.n, step), items) }
	}
	var mu sync.Mutex
	var gathered []table.Item
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(batches)
	// whose context ends before the batches do
	err := t.NewScanner(o).Run(ctx, func(_ context.Context, it table.Item) error {
		if !Copied(table.Text(it, key.PK), table.Text(it, key.SK)) {
			return nil
		}
		mu.Lock()
		gathered = append(gathered, it)
		var batch []table.Item
		if len(gathered) == table.MaxBatchGet {
			batch, gathered = gathered, nil
		}
		mu.Unlock()
		if batch != nil {
			group.Go(func() error { return each(ctx, batch) })
		}
		return nil
	})
	if err == nil && len(gathered) > 0 {
		group.Go(func() error { return each(ctx, gathered) })
	}
	if failed := group.Wait(); failed != nil {
		return failed
	}
	return err
}

// batches is how many are under way at once.
const batches = 8

// bring writes the items that the copy lacks or has with other content.
func (p *pass) bring(ctx context.Context, items []table.Item) error {
	there, err := read(ctx, p.to, items)
	if err != nil {
		return err
	}
	var lacking []table.Item
	for _, it := range items {
		count := &p.others
		if _, comment := key.CommentID(table.Text(it, key.PK)); comment && !item.IsDeleted(it) {
			count = &p.comments
		}
		count.Add(1)
		if want := copyOf(it); !table.Same(want, there[nameOf(it)]) {
			lacking = append(lacking, want)
		}
	}
	p.written.Add(int64(len(lacking)))
	return p.to.PutMany(ctx, lacking)
}

// remove deletes the items of the copy that the source does not have.
func (p *pass) remove(ctx context.Context, items []table.Item) error {
	there, err := read(ctx, p.from, items)
	if err != nil {
		return err
	}
	var surplus []table.Item
	for _, it := range items {
		if there[nameOf(it)] == nil {
			surplus = append(surplus, table.Primary(it))
		}
	}
	p.deleted.Add(int64(len(surplus)))
	return p.to.RemoveMany(ctx, surplus)
}

// read returns the items of a table with the keys of others, as they are copied.
func read(ctx context.Context, t *table.Table, like []table.Item) (map[string]table.Item, error) {
	keys := make([]table.Item, len(like))
	for i, it := range like {
		keys[i] = table.Primary(it)
	}
	found := map[string]table.Item{}
	err := t.GetMany(ctx, keys, true, func(it table.Item) error {
		found[nameOf(it)] = copyOf(it)
		return nil
	})
	return found, err
}

func nameOf(it table.Item) string { return table.Text(it, key.PK) + "\x00" + table.Text(it, key.SK) }

// copyOf returns an item for the copy: without its generation, which refers to the statistics
// of the source.
func copyOf(it table.Item) table.Item {
	if _, has := it[item.AttrGeneration]; !has {
		return it
	}
	it = maps.Clone(it)
	delete(it, item.AttrGeneration)
	return it
}

// Copied reports by its key whether an item is copied: all items except derived data and its
// checkpoints.
func Copied(pk, sk string) bool {
	return !key.IsDerived(pk, sk) && (!key.IsMeta(pk) || settings.IsDictionary(pk) || key.IsErasure(pk))
}
