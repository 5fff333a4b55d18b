package store_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/table"
)

// witness remembers what it was told.
type witness struct {
	mu      sync.Mutex
	calls   []table.Call
	planned []plan.Strategy
	read    []store.PageRead
	within  []any // of each call: the step that it was made in
}

type stepKey struct{}

func (w *witness) Called(ctx context.Context, c table.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, c)
	w.within = append(w.within, ctx.Value(stepKey{}))
}

func (w *witness) Begin(ctx context.Context, s store.Step) context.Context {
	return context.WithValue(ctx, stepKey{}, s)
}

func (w *witness) Planned(ctx context.Context, p plan.Plan) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Value(stepKey{}) == store.Planning {
		w.planned = append(w.planned, p.Strategy)
	}
}

func (w *witness) Read(ctx context.Context, r store.PageRead) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Value(stepKey{}) == store.Reading {
		w.read = append(w.read, r)
	}
}

// take returns the calls since the last time.
func (w *witness) take() []table.Call {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.calls
	w.calls, w.within = nil, nil
	return taken
}

// An observer hears of every call, what it was for, what it cost and how it
// ended; and of a page's steps, within which its calls are made.
func TestObserver(t *testing.T) {
	w := &witness{}
	s := storeWith(t, store.Options{Observer: w})
	made := w.take()
	for _, op := range []table.Operation{table.DescribeTable, table.CreateTable, table.UpdateTimeToLive} {
		testkit.Check(t, slices.ContainsFunc(made, func(c table.Call) bool { return c.Operation == op }), "%s was not told", op)
	}

	created := mustCreate(t, s, store.NewComment{ProductID: "42", Rating: 5, Language: "en"})
	var written float64
	for _, c := range w.take() {
		if c.Result == table.Answered && c.Access == key.AccessComment {
			written += c.Written
		}
		testkit.Check(t, c.Read == 0 || c.Written == 0, "a call reads and writes: %+v", c)
	}
	if written < 5 { // the table and four indexes
		t.Errorf("creating a comment wrote %v units", written)
	}

	for _, c := range []struct {
		filter plan.Filter
		want   key.Access
		index  key.Index
	}{
		{plan.Filter{ProductID: "42"}, key.AccessAll, key.All},
		{plan.Filter{ProductID: "42", Languages: "en"}, key.AccessByLang, key.ByLang},
		{plan.Filter{ProductID: "42", Languages: "en", Ratings: 16}, key.AccessByLangAndRating, key.ByLangAndRating},
		{plan.Filter{ProductID: "42", Ratings: 16}, key.AccessByRating, key.ByRating},
	} {
		testkit.Value(s.Page(t.Context(), c.filter, store.Window{Limit: 20}))(t)
		within := slices.Clone(w.within)
		calls := w.take()
		if len(calls) != 1 || calls[0].Operation != table.QueryItems || calls[0].Access != c.want || calls[0].Index != c.index ||
			calls[0].Read != 0.5 || calls[0].Written != 0 || calls[0].Took <= 0 || calls[0].Result != table.Answered || within[0] != store.Reading {
			t.Errorf("%+v: %+v within %v", c.filter, calls, within)
		}
	}
	if len(w.planned) != 4 || len(w.read) != 4 || w.read[0].Page.Cost.Units != 0.5 || w.read[0].Took <= 0 || w.read[0].Err != nil {
		t.Errorf("planned %v, read %+v", w.planned, w.read)
	}

	testkit.Value(s.Get(t.Context(), created.ID))(t)
	calls := w.take()
	testkit.Check(t, len(calls) == 1 && calls[0].Operation == table.GetItem && calls[0].Access == key.AccessComment && calls[0].Read == 1, "one comment: %+v", calls)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Get(canceled, created.ID)
	testkit.Need(t, errs.CodeOf(err) == errs.Unavailable, "%v", err)
	calls = w.take()
	testkit.Check(t, len(calls) == 1 && calls[0].Result == table.Canceled, "a caller that left: %+v", calls)
}
