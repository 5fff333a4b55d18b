package attributeorder_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/index/attributeorder"
	"product-comments/store/key"
	"product-comments/store/key/sortable"
	"product-comments/store/read/exec"
	"product-comments/store/read/scan"
	"product-comments/store/settings"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// ofProduct are one of each type.
var ofProduct = []attributes.Definition{
	{Key: "fit", Type: attributes.Number, Shown: true},
	{Key: "worn", Type: attributes.Boolean},
	{Key: "bought", Type: attributes.Date},
	{Key: "size", Type: attributes.Choice, Options: []attributes.Option{{Value: "S"}, {Value: "M"}, {Value: "L"}}},
	{Key: "note/ä", Type: attributes.Text},
}

// values returns the attributes of a comment, some of which do not convert.
func values(random *rand.Rand) json.RawMessage {
	all := map[string]any{}
	for name, value := range map[string]any{
		"fit":       []any{-1.5, 0, 2, 1e30, "many", 2.0}[random.IntN(6)],
		"worn":      random.IntN(2) == 0,
		"bought":    fmt.Sprintf("2026-0%d-01", 1+random.IntN(9)),
		"size":      []string{"S", "M", "L", "XL"}[random.IntN(4)],
		"note/ä":    []string{"", "a", "b\x01", "ähnlich", "zz"}[random.IntN(5)],
		"undefined": "x",
	} {
		if random.IntN(2) == 0 {
			all[name] = value
		}
	}
	if random.IntN(4) == 0 || len(all) == 0 {
		return nil
	}
	spelled, err := json.Marshal(all)
	if err != nil {
		panic(err) // there is no such value among these
	}
	return spelled
}

// fill brings all comments of the product 42 to its definitions, while a projector runs.
func (w *world) fill() {
	w.Helper()
	filled := make(chan error, 1)
	go func() { filled <- w.s.AttributeIndex().Backfill().Finish(w.Context(), "42", true, nil) }()
	for {
		select {
		case err := <-filled:
			testkit.Must(w, err)
			return
		default:
			w.project()
		}
	}
}

// A change of definitions reaches all comments, whichever process continues it and wherever
// the last one stopped. Until then orders that sort as before can be read, and other orders
// say how far they are.
func TestFillIsCarriedOn(t *testing.T) {
	w := newWorld(t)
	var now atomic.Int64
	now.Store(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Unix())
	process := func(api store.API) *attributeorder.Index {
		return store.New(api, "comments", store.Options{MetaAge: fresh, Now: func() time.Time { return time.Unix(now.Load(), 0) }}).AttributeIndex()
	}
	w.s = store.New(w.c, "comments", store.Options{PlaceAge: -1, MetaAge: fresh, Now: func() time.Time { return time.Unix(now.Load(), 0) }})
	w.project()
	var comments []store.Comment
	for i := range 250 {
		comments = append(comments, store.Comment{ID: strconv.Itoa(i), ProductID: "42", Rating: 1, Language: "en", CreatedAt: time.Unix(int64(i), 0), Attributes: json.RawMessage(`{"fit":1,"note":"a"}`)})
	}
	testkit.Value(w.s.Import(t.Context(), comments))(w)
	w.project()
	c := w.s.AttributeIndex()
	define := func(list ...attributes.Definition) {
		t.Helper()
		w.define(list...)
		now.Add(1) // what is remembered is too old then
	}
	define(attributes.Definition{Key: "fit", Type: attributes.Number})
	want := func(when, key, says string) {
		t.Helper()
		err := c.Ready(t.Context(), "42", key)
		testkit.Check(t, (says != "" || err == nil) && (says == "" || errs.CodeOf(err) == errs.Unavailable && strings.Contains(err.Error(), says)), "%s: %v, want %q", when, err, says)
	}
	want("before the first look", "fit", "no projector has begun it")
	testkit.Must(w, c.Maintain(t.Context()))
	want("begun", "fit", "comments written so far: 0")
	again := retryAfter(c.Ready(t.Context(), "42", "fit"))
	testkit.Check(t, again >= 5*time.Second && again <= 10*time.Second, "it says to try again after %s", again)
	// Processes that end after each call of some, one after the other.
	fills := 0
	for calls := 4; ; calls++ {
		f := testkit.Value(c.Backfill().All(t.Context()))(w)
		if len(f) == 0 {
			break
		}
		if fills++; fills > 200 {
			t.Fatalf("it never ends: %v", f)
		}
		next := process(ending(w.c, calls))
		_ = next.Maintain(t.Context()) // it fails when the process ends
		now.Add(10)                    // every process knows the definitions
		_ = next.Maintain(t.Context())
		w.project()
	}
	testkit.Check(t, fills >= 3, "no process ended in the middle, %d", fills)
	want("filled", "fit", "")
	w.right()
	define(attributes.Definition{Key: "fit", Type: attributes.Number}, attributes.Definition{Key: "note", Type: attributes.Text})
	want("a column as before", "fit", "")
	want("a new column", "note", "is being built")
	asked := 0
	other := process(storetest.Before(w.c, func(_ context.Context, in *dynamodb.GetItemInput) {
		if table.Text(in.Key, key.SK) == key.ColumnsSK {
			asked++
		}
	}))
	for i, times := range []int{1, 1, 2} { // pages of an order as before do not ask each time
		err := other.Ready(t.Context(), "42", "fit")
		testkit.Check(t, err == nil && asked == times, "call %d asks %d times how far comments are, %v", i, asked, err)
		now.Add(int64(i) * 3)
	}
	define(attributes.Definition{Key: "fit", Type: attributes.Text})
	want("another type", "fit", "is being built")
	define(attributes.Definition{Key: "fit", Type: attributes.Number})
	want("the former type again, with comments that may be of the other one", "fit", "is being built")
	define(attributes.Definition{Key: "fit", Type: attributes.Text})
	w.fill()
	want("filled again", "fit", "")
	define()
	w.fill()
	for range 3 {
		w.project()
	}
	for _, it := range w.db.Items() {
		_, attribute, _, ok := key.ParseColumn(table.Text(it, key.PK))
		testkit.Need(t, !ok || attribute == key.Helpful, "an entry is left of %s", attribute)
	}
}

func retryAfter(err error) time.Duration {
	var coded *errs.Error
	if errors.As(err, &coded) {
		return coded.RetryAfter
	}
	return 0
}

// The columns of a product without comments are complete whatever is defined. Nothing
// is brought back to older definitions by a process that knows no others.
func TestOfNewDefinitions(t *testing.T) {
	w := newWorld(t)
	w.define(ofProduct...)
	late := store.New(w.c, "comments", store.Options{PlaceAge: -1, MetaAge: time.Hour})
	old := testkit.Value(late.Attributes().Definitions(t.Context(), "42"))(w)
	w.define(ofProduct[1:]...)
	testkit.Must(w, w.s.AttributeIndex().Ready(t.Context(), "42", "size"))
	testkit.Value(w.s.Import(t.Context(), []store.Comment{{ID: "a", ProductID: "42", Rating: 1, Language: "en", CreatedAt: time.Unix(1, 0), Attributes: json.RawMessage(`{"size":"S"}`)}}))(w)
	testkit.Value(storetest.ProjectOnce(t.Context(), w.c, late.Projector()))(w)
	if err := w.s.AttributeIndex().Ready(t.Context(), "42", "size"); errs.CodeOf(err) != errs.Unavailable || retryAfter(err) < 5*time.Second {
		t.Errorf("columns that are not filled: %v", err)
	}
	if now, err := w.s.Attributes().CurrentDefinitions(t.Context(), "42"); err != nil || now.Version() == old.Version() {
		t.Fatalf("the definitions are %q, %v", now.Version(), err)
	}
	for _, it := range w.db.Items() {
		if version := table.Text(it, "av"); version == old.Version() {
			t.Errorf("%s is of the older definitions %s", table.Text(it, key.PK), version)
		}
	}
}

// Texts and votes that another release sorted by other weights are not read as if they were
// in order, until a rebuild has written their entries again.
func TestOtherWeights(t *testing.T) {
	w := newWorld(t)
	w.define(attributes.Definition{Key: "note", Type: attributes.Text}, attributes.Definition{Key: "use", Type: attributes.Text, Locale: "de"})
	want := func(when string, ready bool) {
		t.Helper()
		testkit.Must(w, w.s.AttributeIndex().Ready(t.Context(), "42", "note"))
		for _, attribute := range []string{"use", key.Helpful} {
			err := w.s.AttributeIndex().Ready(t.Context(), "42", attribute)
			testkit.Check(t, (err == nil) == ready && (ready || strings.Contains(err.Error(), "stats rebuild")), "%s, %s: %v", when, attribute, err)
		}
	}
	change := func(change func(*settings.Settings)) {
		t.Helper()
		testkit.Value(w.s.Settings().Change(t.Context(), func(now *settings.Settings) (bool, error) { change(now); return true, nil }))(w)
	}
	want("defined", true)
	change(func(now *settings.Settings) { now.Weights = "others" })
	want("another release", false)
	change(func(now *settings.Settings) { now.EndRebuild(sortable.Weights()) })
	want("rebuilt", true)
}

// ending returns the client of a process that ends after some calls that list or write.
func ending(api store.API, left int) store.API {
	return &storetest.Calls{API: api, Do: func(ctx context.Context, in any, call storetest.Call) error {
		switch in.(type) {
		case *dynamodb.QueryInput, *dynamodb.PutItemInput, *dynamodb.TransactWriteItemsInput:
			if left--; left < 0 {
				return errLost
			}
		}
		_, err := call(ctx)
		return err
	}}
}

// read reads a partition in pages of two.
func (w *world) read(in key.Partition, descending bool) (ids []string) {
	w.Helper()
	q := exec.Request{Span: key.Span{Partition: in}, Range: exec.Range{Descending: descending}, Limit: 2}
	for {
		_, _, valued, _ := key.ParseColumn(in.Value)
		got := attributeorder.Rows{Rows: item.Rows{ProductID: "42"}, Values: valued}
		_, next, err := scan.Query(w.Context(), w.s.Projector().Table(), q, false, item.Names, &got)
		testkit.Must(w, err)
		for i, c := range got.Comments {
			ids = append(ids, c.ID)
			if at, ok := q.Position(got.Sorts[i]); !ok || at.CommentID != c.ID || !at.CreatedAt.Equal(c.CreatedAt) || (at.Value != "") != valued {
				w.Errorf("the entry of %s is at %+v", c.ID, at)
			}
		}
		if next == nil {
			return ids
		}
		q.After = next
	}
}

// A product without definitions has a column of how many found its comments helpful
// from the first one on, and none before.
func TestHelpfulNeedsNoDefinitions(t *testing.T) {
	w := newWorld(t)
	two := 2
	plain := store.Comment{ID: "a", ProductID: "42", Rating: 1, Language: "en", CreatedAt: time.Unix(1, 0)}
	testkit.Value(w.s.Import(t.Context(), []store.Comment{plain}))(w)
	w.project()
	err := w.s.AttributeIndex().Ready(t.Context(), "42", key.Helpful)
	testkit.Check(t, errors.Is(err, attributeorder.ErrNone), "without helpful comments: %v", err)
	testkit.Value(w.s.Import(t.Context(), []store.Comment{{ID: "b", ProductID: "42", Rating: 1, Language: "en", CreatedAt: time.Unix(2, 0), Helpful: &two}}))(w)
	w.project()
	w.fill()
	testkit.Must(w, w.s.AttributeIndex().Ready(t.Context(), "42", key.Helpful))
	if got := w.read(key.ColumnValues("42", key.Helpful), true); !slices.Equal(got, []string{"b"}) {
		t.Errorf("helpful is %v", got)
	}
	if got := w.read(key.ColumnMissing("42", key.Helpful), true); !slices.Equal(got, []string{"a"}) {
		t.Errorf("not helpful is %v", got)
	}
	w.right()
}
