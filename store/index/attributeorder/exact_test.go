package attributeorder_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// keyOf spells the key of an entry.
func keyOf(it table.Item) string {
	return fmt.Sprintf("%s %x", table.Text(it, key.PK), table.Bytes(it, key.SK))
}

// entries returns all entries of columns by their keys.
func (w *world) entries() map[string]string {
	all := map[string]string{}
	for _, it := range w.db.Items() {
		if _, _, _, ok := key.ParseColumn(table.Text(it, key.PK)); ok {
			spelled := testkit.Value(json.Marshal(it))(w)
			all[keyOf(it)] = string(spelled)
		}
	}
	return all
}

// A change of a comment writes the entries that it adds, removes or makes others, and
// none else: of a value that is not shown the old one and the new one, however many
// definitions there are.
func TestAChangeWritesWhatItChanges(t *testing.T) {
	w := newWorld(t)
	random := testkit.Random(t)
	w.define(ofProduct...)
	c := store.Comment{ID: "a", ProductID: "42", Rating: 1, Language: "en", Title: "a", CreatedAt: time.Unix(1, 0), Attributes: json.RawMessage(`{"size":"S"}`)}
	var noted []string // keys of entries that are written
	s := w.process(storetest.Before(w.c, func(_ context.Context, in *dynamodb.TransactWriteItemsInput) {
		for _, w := range in.TransactItems {
			switch {
			case w.Put != nil && strings.HasSuffix(aws.ToString(w.Put.TableName), table.ColumnsName("")):
				noted = append(noted, keyOf(w.Put.Item))
			case w.Delete != nil && strings.HasSuffix(aws.ToString(w.Delete.TableName), table.ColumnsName("")):
				noted = append(noted, keyOf(w.Delete.Key))
			}
		}
	}))
	write := func(what string) (n int) {
		t.Helper()
		before := w.entries()
		testkit.Value(w.s.Import(t.Context(), []store.Comment{c}))(w)
		noted = nil
		testkit.Value(storetest.ProjectOnce(t.Context(), w.c, s.Projector()))(w)
		after := w.entries()
		var want []string
		for at, is := range after {
			if before[at] != is {
				want = append(want, at)
			}
		}
		for at := range before {
			if _, there := after[at]; !there {
				want = append(want, at)
			}
		}
		slices.Sort(want)
		slices.Sort(noted)
		testkit.Check(t, slices.Equal(noted, want), "%s: written are %q, other ones are %q", what, noted, want)
		return len(want)
	}
	all := len(ofProduct) + 1 // with how many found it helpful
	for _, step := range []struct {
		what   string
		change func()
		writes int
	}{
		{"a new comment", func() {}, all},
		{"the same once more", func() {}, 0},
		{"another value", func() { c.Attributes = json.RawMessage(`{"size":"M"}`) }, 2},
		{"one value more", func() { c.Attributes = json.RawMessage(`{"size":"M","worn":true}`) }, 2},
		{"a value that does not convert", func() { c.Attributes = json.RawMessage(`{"size":"M","worn":true,"bought":"some day"}`) }, 0},
		{"one value less", func() { c.Attributes = json.RawMessage(`{"worn":true}`) }, 2},
		{"found helpful", func() { c.Helpful = new(int); *c.Helpful = 3 }, 2},
		{"a purchase", func() { c.VerifiedPurchase = new(bool) }, all},
		{"a value that lists show", func() { c.Attributes = json.RawMessage(`{"worn":true,"fit":1}`) }, all + 1},
		{"a title", func() { c.Title = "b" }, all},
		{"a rating", func() { c.Rating = 2 }, all},
		{"another time", func() { c.CreatedAt = time.Unix(2, 0) }, 2 * all},
		{"no value", func() { c.Attributes = nil }, len(ofProduct) + 2},
	} {
		step.change()
		testkit.Equal(t, write(step.what), step.writes, "%s writes", step.what)
	}
	for i := range 40 {
		switch random.IntN(5) {
		case 0:
			c.Title = fmt.Sprint(i)
		case 1:
			*c.Helpful = random.IntN(3)
		default:
			c.Attributes = values(random)
		}
		write(fmt.Sprintf("change %d to %s", i, c.Attributes))
	}
	w.right()
}
