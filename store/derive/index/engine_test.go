package index_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/store/comment/item"
	"product-comments/store/comment/stats"
	"product-comments/store/derive/index"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// titles is an index of titles.
type titles struct{}

func (titles) Name() string                                   { return "titles" }
func (titles) Projected() bool                                { return true }
func (titles) EntryOf(table.Item) (of index.Subject, ok bool) { return of, false }
func (titles) Entries(_ context.Context, _ settings.Settings, im *index.Image) ([]index.Entry, error) {
	at := index.Key{PK: im.ProductID, SK: im.SortKey}
	return []index.Entry{{In: key.Table, At: at, Unit: "unit", Attributes: table.Item{"title": table.S(im.Title)}}}, nil
}

// In the end the index has the entries of the last image of every comment, however changes
// are divided into transactions, in any order of comments and products, and although another
// process made the first of them alone.
func TestMovesInAnyOrder(t *testing.T) {
	r, e := testkit.Random(t), index.New(nil, titles{})
	entries := map[string]string{}
	write := func(changes ...index.Change) {
		var effects []*index.Effect
		for _, c := range changes {
			effects = append(effects, testkit.Value(e.Effect(t.Context(), settings.Settings{}, c))(t))
		}
		writes, _, err := e.Flush(t.Context(), settings.Settings{}, effects)
		testkit.Must(t, err)
		for _, w := range writes {
			if w.Delete {
				delete(entries, w.Item())
			} else {
				entries[w.Item()] = table.Text(w.Put, "title")
			}
		}
	}
	now := map[index.Subject]*index.Image{}
	for range 300 {
		var batch []index.Change
		for range 1 + r.IntN(6) {
			of := index.Subject{Product: fmt.Sprint("p", r.IntN(2)), Comment: fmt.Sprint("c", r.IntN(2))}
			batch = append(batch, turn(r, of, now))
		}
		write(batch[0]) // by a process that crashed then
		write(batch...)
		want := map[string]string{}
		for _, im := range now {
			if im != nil {
				want[table.Write{Key: table.KeyOf(im.ProductID, im.SortKey)}.Item()] = im.Title
			}
		}
		testkit.Need(t, maps.Equal(entries, want), "after %d changes there is %q, want %q", len(batch), entries, want)
	}
}

// turn changes what a product has of a comment: mostly to something else, else to nothing.
func turn(r *rand.Rand, of index.Subject, now map[index.Subject]*index.Image) index.Change {
	c := index.Change{ID: of.Comment, Before: now[of], Was: now[of]}
	if now[of] = nil; c.Before == nil || r.IntN(3) > 0 {
		comment := item.Comment{ID: of.Comment, ProductID: of.Product, Title: fmt.Sprint(r.IntN(2))}
		now[of] = &index.Image{Stored: item.Stored{Comment: comment, SortKey: fmt.Sprint(of.Comment, r.IntN(2))}}
	}
	c.After, c.Is = now[of], now[of]
	return c
}

// tally is an index with one item, which counts changes.
type tally struct{ apply func() error }

func (x *tally) Name() string                                 { return "changes" }
func (x *tally) SumOf(table.Item) (zero index.Delta, ok bool) { return zero, false }
func (x *tally) Sums(context.Context, settings.Settings, index.Change) ([]index.Delta, error) {
	return []index.Delta{{At: index.Key{PK: "a", SK: "a"}, Sum: &one{x, 1}}}, nil
}

type one struct {
	*tally
	n int
}

func (o *one) Add(more index.Sum) { o.n += more.(*one).n }
func (o *one) IsZero() bool       { return o.n == 0 }
func (o *one) Diff(context.Context, settings.Settings, *index.SumItem) ([]string, error) {
	return nil, nil
}
func (o *one) Apply(_ context.Context, _ settings.Settings, it *index.SumItem) error {
	n, err := table.Number(it.Was, "n")
	it.Put = it.At.Item(key.Table)
	it.Put["n"] = table.N(n + o.n)
	if err == nil && o.apply != nil {
		err = o.apply()
	}
	return err
}

// What does not fit a sum is an error of the sum, unless another process has changed the two
// since the sum was read.
func TestAppliedToAChangedSum(t *testing.T) {
	for name, changes := range map[string]bool{"nothing changed": false, "another process changed both": true} {
		t.Run(name, func(t *testing.T) {
			tb := table.New(storetest.Client(t), storetest.TableName(t), table.Options{})
			testkit.Value(tb.Ensure(t.Context(), table.Design{Projected: []string{"n"}, Orders: []string{"n"}, Expires: "expires"}, true))(t)
			x := &tally{}
			e := index.New(tb, x)
			flush := func() error {
				effect := testkit.Value(e.Effect(t.Context(), settings.Settings{}, index.Change{}))(t)
				writes, _, err := e.Flush(t.Context(), settings.Settings{}, []*index.Effect{effect})
				if err != nil {
					return err
				}
				return tb.Transact(t.Context(), "count", writes...)
			}
			testkit.Must(t, flush())
			x.apply = func() error {
				if x.apply = nil; changes {
					testkit.Must(t, flush())
				}
				return stats.ErrNegative
			}
			err := flush()
			_, refused := table.IsRefused(err)
			testkit.Equal(t, refused, changes, "%v", err)
			testkit.Equal(t, errors.Is(err, stats.ErrNegative), !changes, "%v", err)
		})
	}
}
