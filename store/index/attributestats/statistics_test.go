package attributestats_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/derive/verify"
	"product-comments/store/errs"
	"product-comments/store/index/attributestats"
	"product-comments/store/index/attributestats/summary"
	"product-comments/store/key"
	"product-comments/store/settings/definitions"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// world is a table in memory.
type world struct {
	*testing.T
	db *double.DB
	c  *double.Client
	s  *store.Store
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db := double.New(double.Options{})
	w := &world{T: t, db: db, c: db.Client("test")}
	w.s = store.New(w.c, "comments", store.Options{PlaceAge: -1, MetaAge: time.Nanosecond})
	w.must(w.s.EnsureTable(t.Context(), true))
	w.project()
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// project brings everything up to date, what it touches itself included.
func (w *world) project() {
	w.Helper()
	for range 2 {
		_, err := storetest.ProjectOnce(w.Context(), w.c, w.s.Projector())
		w.must(err)
	}
}

func (w *world) define(list ...attributes.Definition) {
	w.Helper()
	_, err := w.s.Attributes().Define(w.Context(), definitions.Change{Scope: definitions.Scope{Product: "42"}, Definitions: list, Force: true})
	w.must(err)
}

// ofProduct are one of each type.
var ofProduct = []attributes.Definition{
	{Key: "fit", Type: attributes.Number}, {Key: "worn", Type: attributes.Boolean}, {Key: "bought", Type: attributes.Date},
	{Key: "size", Type: attributes.Choice, Options: []attributes.Option{{Value: "S"}, {Value: "M"}}}, {Key: "note", Type: attributes.Text},
}

// gone checks which statistics remain when all comments are deleted.
func (w *world) gone() {
	w.Helper()
	w.project()
	for _, it := range w.db.Items() {
		if !strings.HasPrefix(table.Text(it, key.SK), "V#") {
			continue
		}
		if n := len(it["of"].(*types.AttributeValueMemberM).Value); n > 0 || it["expires"] == nil { // it has names, which expire
			w.Errorf("the comments are gone, and %v stays with %d attributes", table.Primary(it), n)
		}
	}
}

// Statistics that say something else than the comments are found, whatever it is.
func TestVerifyFindsWrongStatistics(t *testing.T) {
	w := newWorld(t)
	w.define(ofProduct...)
	for i := range 3 {
		_, err := w.s.Import(t.Context(), []store.Comment{{
			ID: fmt.Sprint(i), ProductID: "42", Rating: 5, Language: []string{"en", "de"}[i%2], CreatedAt: time.Date(2026, 1, 2, 3, 4, i, 0, time.UTC),
			Attributes: json.RawMessage(fmt.Sprintf(`{"fit":%d,"size":"S","note":"x"}`, i+1)),
		}})
		w.must(err)
	}
	w.project()
	storetest.Verified(t, w.s.Projector())
	tb := w.s.Projector().Table()
	at := table.KeyOf(key.Product("42"), key.SummariesSK(key.SummaryPart("fit"), "en"))
	had, err := tb.Get(t.Context(), "it", at)
	w.must(err)
	other, err := tb.Get(t.Context(), "it", table.KeyOf(key.Product("42"), key.SummariesSK(key.SummaryPart("size"), "")))
	w.must(err)
	for name, change := range map[string]table.Write{
		"missing":     {Key: at, Delete: true},
		"another":     {Put: with(other, at)},
		"left over":   {Put: with(had, table.KeyOf(key.Product("44"), key.SummariesSK(0, "")))},
		"from before": {Put: with(had, table.Item{"gen": table.N(-1)})},
	} {
		w.must(tb.Write(t.Context(), "break it", change))
		found := testkit.Value(verify.Run(t.Context(), w.s.Projector(), verify.Options{}))(t)
		testkit.Check(t, len(found.Differences) > 0, "%s: nothing was found", name)
		w.must(tb.Write(t.Context(), "mend it", table.Write{Put: had}))
		w.must(tb.Write(t.Context(), "mend it", table.Write{Key: table.KeyOf(key.Product("44"), key.SummariesSK(0, "")), Delete: true}))
	}
	storetest.Verified(t, w.s.Projector())
}

func with(it, primary table.Item) table.Item {
	out := maps.Clone(it)
	maps.Copy(out, primary)
	return out
}

// The least and the greatest number are exact: from the summary while it knows each,
// then from the column, by language, too.
func TestExtremes(t *testing.T) {
	w := newWorld(t)
	w.define(ofProduct...)
	w.must(w.s.AttributeIndex().Backfill().Finish(t.Context(), "42", true, nil))
	want := func(language string, least, greatest float64, found bool) {
		t.Helper()
		of := attributestats.Attribute{ProductID: "42", Language: language, Key: "fit"}
		read, err := w.s.AttributeStats().Read(t.Context(), []attributestats.Attribute{of})
		w.must(err)
		for i, want := range []float64{least, greatest} {
			got, ok, err := w.s.Lists().Extreme(t.Context(), of, read[0], i == 1)
			testkit.Check(t, err == nil && ok == found && (!ok || got == want), "in %q: %v, %t, %v, want %v", language, got, ok, err, want)
		}
	}
	want("", 0, 0, false)
	add := func(id int, language string, fit float64) {
		t.Helper()
		_, err := w.s.Import(t.Context(), []store.Comment{{
			ID: fmt.Sprint(id), ProductID: "42", Rating: 5, Language: language, CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
			Attributes: json.RawMessage(fmt.Sprintf(`{"fit":%v}`, fit)),
		}})
		w.must(err)
	}
	add(0, "en", 4.5)
	add(1, "de", -2)
	w.project()
	want("", -2, 4.5, true)
	want("en", 4.5, 4.5, true)
	for i := range 3 * summary.MaxValues {
		add(2+i, []string{"en", "de", "de"}[i%3], float64(i)-40)
	}
	w.project()
	want("", -40, 55, true)
	want("en", -40, 53, true)
	want("de", -39, 55, true)
	want("fr", 0, 0, false)
	_, err := w.s.Delete(t.Context(), "2", nil) // -40
	w.must(err)
	w.project()
	want("", -39, 55, true)
	want("en", -37, 53, true)
}

// While what is derived is not kept, no one is shown statistics.
func TestStatisticsThatAreNotKept(t *testing.T) {
	w := newWorld(t)
	w.must(w.s.Projector().MarkBroken(t.Context()))
	_, err := w.s.AttributeStats().Read(t.Context(), []attributestats.Attribute{{ProductID: "42", Key: "fit"}})
	testkit.Check(t, errs.CodeOf(err) == errs.Unavailable, "%v", err)
}
