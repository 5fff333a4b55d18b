package pages_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/derive/projector"
	"product-comments/store/derive/stream"
	"product-comments/store/derive/verify"
	"product-comments/store/index/pages"
	"product-comments/store/index/pages/tree"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// small are nodes of which some hundred comments make a tree of several levels.
var small = tree.Sizes{Listed: 20, Node: 100, Below: 3, Root: 80}

// Answers agree with the comments after any changes, before and after projection, from no comments
// to a tree of several levels and back.
func TestNumbers(t *testing.T) {
	s, much := newShopOf(t, small), 150
	if testkit.All(t) {
		s, much = newShop(t), 1800
	}
	storetest.Project(t, s.s.Projector())
	s.check()
	for _, step := range []struct{ put, replaced, remove int }{
		{3, 0, 0}, {9, 2, 1}, {30, 10, 0}, {1, 1, 1}, {min(400, much), 50, 0}, {0, 0, 40}, {0, 40, 0}, {much, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 200, much * 2 / 3}, {0, 0, much / 2}, {0, 0, 3000}, {2, 0, 0}, {50, 0, 0},
	} {
		s.put(step.put, step.replaced)
		s.remove(step.remove)
		if step.put+step.replaced == 0 && step.remove < 300 { // neither what is imported nor more of its own writes count at once
			s.check()
		}
		storetest.Project(t, s.s.Projector())
		s.check()
		s.verified()
		if t.Failed() {
			t.Fatalf("after %+v", step)
		}
	}
}

// A process's own writes count at once: in lists, in trees, and once only when they are
// projected.
func TestOwnWrites(t *testing.T) {
	s, sizes := newShopOf(t, small), []int{5, 300}
	if testkit.All(t) {
		s, sizes = newShop(t), []int{5, 300, 2000}
	}
	for _, n := range sizes {
		s.put(n, 0)
		storetest.Project(t, s.s.Projector())
		ids := slices.Sorted(maps.Keys(s.comments))
		for i := range min(10, len(ids)) {
			made := testkit.Value(s.s.Create(t.Context(), store.NewComment{ProductID: product, Rating: 1 + i%5, Language: "en", Title: "Mine", Text: "Mine"}))(t)
			s.comments[made.ID] = made
			rating, c := 1+i%5, s.comments[ids[i]]
			testkit.Value(s.s.Update(t.Context(), store.Change{ID: c.ID, Rating: &rating}))(t)
			c.Rating = rating
			s.comments[c.ID] = c
		}
		s.remove(3)
		s.check()
		storetest.Project(t, s.s.Projector())
		s.check()
	}
}

// If another process reverts a write before it is projected, the write counts for neither, although
// the projector writes unchanged counts.
func TestTakenBack(t *testing.T) {
	s := newShopOf(t, tree.Sizes{Listed: 20, Node: 60, Below: 3, Root: 60})
	s.put(60, 0)
	storetest.Project(t, s.s.Projector())
	other := store.New(storetest.Client(t), s.s.Table(), store.Options{MetaAge: time.Nanosecond})
	made := testkit.Value(s.s.Create(t.Context(), store.NewComment{ProductID: product, Rating: 4, Language: "en", Title: "Mine", Text: "Mine"}))(t)
	testkit.Value(other.Delete(t.Context(), made.ID, nil))(t)
	storetest.Project(t, s.s.Projector())
	s.check()
	for _, c := range s.list(pages.Which{})[:9] {
		rating := c.Rating%5 + 1
		testkit.Value(s.s.Update(t.Context(), store.Change{ID: c.ID, Rating: &rating}))(t)
		testkit.Value(other.Update(t.Context(), store.Change{ID: c.ID, Rating: &c.Rating}))(t)
	}
	storetest.Project(t, s.s.Projector())
	s.check()
	s.verified()
}

// The answers to one question agree with each other, also if changes are projected between their
// reads.
func TestChangesWhileReading(t *testing.T) {
	for after := range 6 {
		t.Run(fmt.Sprintf("after %d reads of nodes", after), func(t *testing.T) {
			s := newShopOf(t, tree.Sizes{Listed: 20, Node: 60, Below: 2, Root: 60})
			s.put(40, 0)
			storetest.Project(t, s.s.Projector())
			s.remove(35)
			s.put(9, 3)
			queries := 0
			api := storetest.Before(storetest.Client(t), func(context.Context, *dynamodb.QueryInput) {
				if queries++; queries == after+1 {
					storetest.Project(t, s.s.Projector())
				}
			})
			reader := store.New(api, s.s.Table(), store.Options{MetaAge: time.Hour})
			s.ask(reader.PageNumbers().Of(product), func(ctx context.Context, m pages.Moment) error {
				total, err := m.Total(ctx, pages.Which{})
				for k := 0; err == nil && k < total.Total(); k++ {
					at, ok, errAt := m.At(ctx, pages.Which{}, k, false)
					before, errBefore := m.Before(ctx, at, pages.Which{})
					if err = errors.Join(errAt, errBefore); err == nil {
						testkit.Check(t, ok && before.Total() == k, "number %d of %d: %t, %d are before it", k, total.Total(), ok, before.Total())
					}
				}
				return err
			})
		})
	}
}

// A process's own deletions count once if nodes of the tree are removed with them.
func TestOwnDeletions(t *testing.T) {
	s := newShopOf(t, tree.Sizes{Listed: 20, Node: 20, Below: 2, Root: 20})
	s.put(40, 0)
	storetest.Project(t, s.s.Projector())
	for range 12 {
		s.remove(3)
		s.check()
		storetest.Project(t, s.s.Projector())
		s.check()
	}
	s.verified()
}

// A projector's cache of a tree never causes wrong counts: not after another projector has changed
// the tree, and not after a transaction with a lost answer, whether it took effect or not.
func TestKnownNodesAreOfTheStoredTree(t *testing.T) {
	sizes := small
	s := newShopOf(t, sizes)
	projectors, lost, failed := make([]*projector.Projector, 2), 0, 0
	for i := range projectors {
		api := &storetest.Calls{API: storetest.Client(t), Do: func(ctx context.Context, in any, call storetest.Call) error {
			_, isTransaction := in.(*dynamodb.TransactWriteItemsInput)
			if isTransaction && s.r.IntN(4) == 0 {
				failed++
				return errors.New("the connection was closed before the call")
			}
			_, err := call(ctx)
			if isTransaction && err == nil && s.r.IntN(4) == 0 {
				lost++
				return errors.New("the connection was closed before the answer")
			}
			return err
		}}
		projectors[i] = store.New(api, s.s.Table(), store.Options{MetaAge: time.Nanosecond, PageSizes: sizes}).Projector()
	}
	s.put(40, 0)
	storetest.Project(t, s.s.Projector())
	for range 24 {
		s.put(s.r.IntN(12), s.r.IntN(3))
		s.remove(s.r.IntN(8))
		err := errors.New("not tried")
		for tries := 0; err != nil; tries++ {
			testkit.Need(t, tries < 50, "it does not end: %v", err)
			_, err = storetest.ProjectOnce(t.Context(), storetest.Streams(t), projectors[s.r.IntN(2)])
		}
		if s.verified(); t.Failed() {
			return
		}
	}
	s.check()
	testkit.Check(t, lost > 0 && failed > 0, "%d answers were lost, %d transactions were not made", lost, failed)
}

// A projector does not read cached nodes again, for any order of additions. It reads other nodes of
// a large tree many at a time.
func TestKnownNodesAreNotRead(t *testing.T) {
	s := newShop(t)
	var queries atomic.Int64 // several at once
	api := storetest.Before(storetest.Client(t), func(context.Context, *dynamodb.QueryInput) { queries.Add(1) })
	process := func() *projector.Projector {
		return store.New(api, s.s.Table(), store.Options{MetaAge: time.Nanosecond}).Projector()
	}
	first, n := process(), 250
	if testkit.All(t) {
		n = 700
	}
	for range 3 {
		s.put(n, 0)
		storetest.Project(t, first)
	}
	for _, of := range []struct {
		what string
		by   *projector.Projector
		most int64 // of the first: leaves that divide have more queries, up to 5 in some seeds
	}{{"the one that wrote them", first, 8}, {"another one", process(), 20}, {"and again", first, 20}} {
		queries.Store(0)
		s.put(100, 0)
		storetest.Project(t, of.by)
		testkit.Check(t, queries.Load() <= of.most, "%s: %d queries", of.what, queries.Load())
	}
	s.verified()
}

// The verifier finds a leaf, a node or a month that is gone or changed, and nothing else.
func TestVerifier(t *testing.T) {
	s := newShopOf(t, small)
	s.put(250, 0)
	storetest.Project(t, s.s.Projector())
	s.verified()
	tb := s.s.Projector().Table()
	var items []table.Item
	testkit.Must(t, tb.Each(t.Context(), key.Partition{Index: key.Table, Value: key.Product(product)}, func(it table.Item) error {
		if _, ok := s.s.PageNumbers().SumOf(it); ok && table.Text(it, key.SK) != key.StatisticsSK("") {
			items = append(items, it)
		}
		return nil
	}))
	kinds := map[string]bool{}
	for i, it := range items {
		sk := table.Text(it, key.SK)
		if kinds[sk[:min(5, len(sk))]] && i%20 > 0 {
			continue
		}
		kinds[sk[:min(5, len(sk))]] = true
		testkit.Must(t, tb.Write(t.Context(), "remove", table.Write{Key: table.Primary(it), Delete: true}))
		found := testkit.Value(verify.Run(t.Context(), s.s.Projector(), verify.Options{}))(t)
		testkit.Check(t, len(found.Differences) > 0, "%s is gone, and nothing differs", sk)
		other := maps.Clone(it)
		other["of"] = items[(i+1)%len(items)]["of"]
		testkit.Must(t, tb.Write(t.Context(), "damage", table.Write{Put: other}))
		found, err := verify.Run(t.Context(), s.s.Projector(), verify.Options{})
		testkit.Check(t, err != nil || len(found.Differences) > 0, "%s is another, and nothing differs", sk)
		testkit.Must(t, tb.Write(t.Context(), "mend", table.Write{Put: it}))
	}
	testkit.Check(t, len(kinds) > 2, "only %v were damaged", kinds)
	s.verified()
}

// TestReads holds what answers read, of PAGES_COMMENTS comments, 3,000 if that is not set and 800 in
// the fast run; with -v it prints that.
func TestReads(t *testing.T) {
	usual := "800"
	if testkit.All(t) {
		usual = "3000"
	}
	comments := testkit.Value(strconv.Atoi(cmp.Or(os.Getenv("PAGES_COMMENTS"), usual)))(t)
	s := newShop(t)
	for s.n < comments {
		s.put(min(3000, comments-s.n), 0)
		storetest.Project(t, s.s.Projector())
	}
	all := s.list(pages.Which{})
	reader := store.New(storetest.Client(t), s.s.Table(), store.Options{MetaAge: time.Hour}) // so that settings are not read each time
	s.ask(reader.PageNumbers().Of(product), func(context.Context, pages.Moment) error { return nil })
	for _, c := range []struct {
		what  string
		units float64
		trips int
		ask   func(context.Context, pages.Moment, int) error
	}{
		{"a comment by its number", 1, 2, func(ctx context.Context, n pages.Moment, i int) error {
			_, _, err := n.At(ctx, pages.Which{}, i, false)
			return err
		}},
		{"its number, and how many there are", 1, 2, func(ctx context.Context, n pages.Moment, i int) error {
			if _, err := n.Before(ctx, all[i].Position(), pages.Which{}); err != nil {
				return err
			}
			_, err := n.Total(ctx, pages.Which{})
			return err
		}},
	} {
		var sum, most float64
		var trips int
		const asked = 100
		for range asked {
			ctx, m := table.WithMeter(t.Context())
			testkit.Must(t, reader.PageNumbers().Of(product).Ask(ctx, func(m pages.Moment) error { return c.ask(ctx, m, s.r.IntN(len(all))) }))
			units, n := m.Read()
			units, n = units-0.5, n-1 // the statistics, which a page reads, too
			sum, most, trips = sum+units/asked, max(most, units), max(trips, n)
		}
		t.Logf("of %d comments %s: %.2f units, at most %.1f, in %d round trips", comments, c.what, sum, most, trips)
		testkit.Check(t, sum <= c.units && trips <= c.trips, "%s: %.2f units in %d round trips", c.what, sum, trips)
	}
}

// Disabled page numbers are not written or read, and verification reports no difference. After they
// are enabled, the next rebuild writes them.
func TestLeftOut(t *testing.T) {
	testkit.Long(t, "a rebuild waits until all processes know of it")
	s := newShopOf(t, small)
	keep := func(keep bool) {
		t.Helper()
		testkit.Value(s.s.Settings().Change(t.Context(), func(now *settings.Settings) (bool, error) { return now.KeepPages(keep), nil }))(t)
	}
	items := func() (all []string) {
		testkit.Must(t, s.s.Projector().Table().Each(t.Context(), key.Partition{Index: key.Table, Value: key.Product(product)}, func(it table.Item) error {
			if _, ok := s.s.PageNumbers().SumOf(it); ok && table.Text(it, key.SK) != key.StatisticsSK("") {
				all = append(all, table.Text(it, key.SK)+string(table.Bytes(it, "of")))
			}
			return nil
		}))
		slices.Sort(all)
		return all
	}
	s.put(40, 0)
	storetest.Project(t, s.s.Projector())
	keep(false)
	before := items()
	for _, wanted := range []bool{false, true} { // wanted again, but not rebuilt yet
		keep(wanted)
		s.put(30, 5)
		s.remove(len(s.comments))
		s.put(30, 0)
		storetest.Project(t, s.s.Projector())
		testkit.Check(t, len(before) > 0 && slices.Equal(items(), before), "nodes were written: %t", wanted)
		testkit.Check(t, s.s.LeavesPages(t.Context()), "page numbers are kept: %t", wanted)
		s.verified()
	}
	c, stop := storetest.Consume(t, s.s.Projector(), stream.Options{})
	testkit.Must(t, c.Rebuild(t.Context(), stream.RebuildOptions{}))
	stop()
	testkit.Check(t, !s.s.LeavesPages(t.Context()), "page numbers are left out after a rebuild")
	s.check()
	s.verified()
}
