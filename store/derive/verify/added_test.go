package verify_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/derive/index"
	"product-comments/store/derive/projector"
	"product-comments/store/derive/verify"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// best is an index of comments rated 5: all that an index needs.
type best struct{}

func (best) Name() string    { return "best comments" }
func (best) Projected() bool { return true }

func (best) Entries(_ context.Context, _ settings.Settings, im *index.Image) ([]index.Entry, error) {
	if im.Rating < 5 {
		return nil, nil
	}
	title := table.Item{"title": table.S(im.Title)}
	return []index.Entry{{In: key.Table, At: index.Key{PK: "BEST#" + im.ProductID, SK: im.SortKey}, Unit: "best", Attributes: title}}, nil
}

func (best) EntryOf(it table.Item) (of index.Subject, ok bool) {
	if _, err := fmt.Sscanf(table.Text(it, key.PK), "BEST#%s", &of.Product); err != nil {
		return of, false
	}
	at, ok := key.ParseSortKey(table.Text(it, key.SK))
	of.Comment = at.CommentID
	return of, ok
}

// The engine writes, verifies and rebuilds an index that says only what entries a comment has.
func TestAddedIndex(t *testing.T) {
	client := double.New(double.Options{}).Client("shop")
	s := store.New(client, "comments", store.Options{})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	p := projector.New(s.Projector().Table(), s.Settings(), best{})
	project := func() { testkit.Value(storetest.ProjectOnce(t.Context(), client, p))(t) }
	entries := func() (titles []string) {
		testkit.Must(t, p.Table().Each(t.Context(), key.Partition{Index: key.Table, Value: "BEST#42"}, func(it table.Item) error {
			titles = append(titles, table.Text(it, "title"))
			return nil
		}))
		return titles
	}
	found := func() string {
		return fmt.Sprint(testkit.Value(verify.Run(t.Context(), p, verify.Options{}))(t).Differences)
	}
	project()
	c := store.Comment{ID: "1", ProductID: "42", Rating: 5, Language: "en", Title: "Good", CreatedAt: time.Unix(1e9, 0).UTC()}
	for _, step := range []struct {
		rating int
		title  string
		want   string
	}{{5, "Good", "[Good]"}, {5, "Better", "[Better]"}, {4, "Better", "[]"}, {5, "Best", "[Best]"}} {
		c.Rating, c.Title = step.rating, step.title
		testkit.Value(s.Import(t.Context(), []store.Comment{c}))(t)
		project()
		testkit.Equal(t, fmt.Sprint(entries()), step.want, "the entries after %+v", step)
		testkit.Equal(t, found(), "[]", "differences after %+v", step)
	}
	at := table.KeyOf("BEST#42", c.Position().SortKey())
	testkit.Must(t, p.Table().Write(t.Context(), "damage", table.Write{Key: at, Delete: true}))
	testkit.Equal(t, found(), `[comment "1": its entry in best comments, BEST#42, is missing]`, "what is found")
	var many []store.Comment
	for i := range verify.MostDifferences + 5 {
		many = append(many, store.Comment{ID: fmt.Sprint("many", i), ProductID: "43", Rating: 5, Language: "en", CreatedAt: time.Unix(1e9, 0).UTC()})
	}
	testkit.Value(s.Import(t.Context(), many))(t)
	all := testkit.Value(verify.Run(t.Context(), p, verify.Options{}))(t)
	testkit.Check(t, len(all.Differences) == verify.MostDifferences && all.More == 6, "%d differences and %d more", len(all.Differences), all.More)
	project()
	testkit.Value(s.Settings().Change(t.Context(), func(now *settings.Settings) (bool, error) { now.Generation++; return true, nil }))(t)
	testkit.Must(t, p.Touch(t.Context(), key.Comment("1"), 1)) // as a rebuild does
	project()
	testkit.Equal(t, fmt.Sprint(entries()), "[Best]", "the entries after a rebuild")
	stale := table.KeyOf("BEST#42", key.Position{CreatedAt: c.CreatedAt, CommentID: "2"}.SortKey())
	_, obsolete := p.Engine().Obsolete(stale, key.Table, 1)
	testkit.Check(t, obsolete, "an entry of before the rebuild is not removed")
}
