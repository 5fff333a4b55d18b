package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/derive/stream"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/simulation/double"
	"product-comments/store/simulation/faults"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// newStore returns a store on a new table, and the client behind it.
func newStore(t testing.TB) (*store.Store, store.API) {
	t.Helper()
	client := storetest.Client(t)
	return storeOn(t, client, storetest.TableName(t)), client
}

func storeOn(t testing.TB, api store.API, table string) *store.Store {
	t.Helper()
	return openStore(t, api, table, store.Options{PlaceAge: -1})
}

// inMemory runs a test under a virtual clock, on tables in memory.
func inMemory(t *testing.T, test func(*testing.T)) {
	storetest.Own(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := double.New(double.Options{}).Client("test")
		client.Set(faults.Rates{Latency: 2 * time.Millisecond})
		storetest.Use(t, client, client)
		test(t)
	})
}

// openStore returns a store whose table is there.
func openStore(t testing.TB, api store.API, table string, o store.Options) *store.Store {
	t.Helper()
	s := store.New(api, table, o)
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	return s
}

// storeWith returns a store on a new table.
func storeWith(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	return openStore(t, storetest.Client(t), storetest.TableName(t), o)
}

// The verbs of a store, which must succeed.

func mustCreate(t testing.TB, s *store.Store, n store.NewComment) store.Comment {
	t.Helper()
	return testkit.Value(s.Create(t.Context(), n))(t)
}

func importAll(t testing.TB, s *store.Store, comments []store.Comment) {
	t.Helper()
	for i := range comments { // their photos are uploaded before
		for _, p := range comments[i].Photos {
			testkit.Must(t, s.UploadedPhoto(t.Context(), p, ""))
		}
	}
	for batch := range slices.Chunk(comments, 200) {
		testkit.Value(s.Import(t.Context(), batch))(t)
	}
}

func get(t testing.TB, s *store.Store, id string) *store.Comment {
	t.Helper()
	return testkit.Value(s.Get(t.Context(), id))(t)
}

func update(t testing.TB, s *store.Store, change store.Change) store.Comment {
	t.Helper()
	return testkit.Value(s.Update(t.Context(), change))(t)
}

func remove(t testing.TB, s *store.Store, id string) {
	t.Helper()
	testkit.Value(s.Delete(t.Context(), id, nil))(t)
}

func pageOf(t testing.TB, s *store.Store, f plan.Filter, w store.Window) store.Page {
	t.Helper()
	return testkit.Value(s.Page(t.Context(), f, w))(t)
}

// raw returns an item of the table, nil if there is none.
func raw(t testing.TB, s *store.Store, pk, sk string) table.Item {
	t.Helper()
	return testkit.Value(s.Projector().Table().Get(t.Context(), "an item", table.KeyOf(pk, sk)))(t)
}

// storedItem returns a comment's item as it is in the table.
func storedItem(t testing.TB, s *store.Store, id string) table.Item {
	t.Helper()
	return raw(t, s, key.Comment(id), key.Comment(id))
}

// damage changes an item behind the store's back.
func damage(t testing.TB, s *store.Store, w table.Write) {
	t.Helper()
	testkit.Must(t, s.Projector().Table().Write(t.Context(), "what a test damages", w))
}

// eachItem calls a function with every item of a table.
func eachItem(t testing.TB, of string, each func(table.Item)) {
	t.Helper()
	for pages := dynamodb.NewScanPaginator(storetest.Client(t), &dynamodb.ScanInput{TableName: &of}); pages.HasMorePages(); {
		page := testkit.Value(pages.NextPage(t.Context()))(t)
		for _, it := range page.Items {
			each(it)
		}
	}
}

// consume runs a projector of all lanes until stop is called, which waits until
// everything is projected.
func consume(t *testing.T, client stream.API, s *store.Store) (stop func()) {
	c := stream.New(client, s.Projector(), stream.Options{Poll: 250 * time.Millisecond})
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	var running sync.WaitGroup
	running.Go(func() { _ = c.Run(ctx) })
	return func() {
		t.Helper()
		defer running.Wait()
		defer cancel()
		for range 3 { // also what the projector touched
			testkit.Must(t, c.Wait(ctx))
		}
	}
}

func wantCode(t testing.TB, err error, code errs.Code) {
	t.Helper()
	testkit.Need(t, errs.CodeOf(err) == code, "got %v (%s), want %s", err, errs.CodeOf(err), code)
}

func TestCreateGetUpdateDelete(t *testing.T) {
	s, _ := newStore(t)
	ctx := t.Context()
	made := mustCreate(t, s, store.NewComment{ProductID: "4/2#~%", Rating: 4, Language: "pt_br", Title: "Bom", Text: "Gostei", Author: "Ana"})
	testkit.Check(t, made.Language == "pt-BR" && made.Version == 1 && made.UpdatedAt.Equal(made.CreatedAt), "made %+v", made)
	got, err := s.Get(ctx, made.ID)
	testkit.Need(t, err == nil && got != nil && fmt.Sprint(*got) == fmt.Sprint(made), "got %+v, %v\nwant %+v", got, err, made)
	after := update(t, s, store.Change{ID: made.ID, Rating: aws.Int(1), Language: aws.String("de"), Title: aws.String("")})
	if after.Rating != 1 || after.Language != "de" || after.Title != "" || after.Text != "Gostei" || after.Version != 2 || !after.UpdatedAt.After(made.UpdatedAt) {
		t.Errorf("after the change: %+v", after)
	}
	for _, c := range []struct {
		filter plan.Filter
		want   int
	}{
		{filterOf("4/2#~%", "", 0), 1}, {filterOf("4/2#~%", "de", 0), 1}, {filterOf("4/2#~%", "pt-BR", 0), 0},
		{filterOf("4/2#~%", "", 1), 1}, {filterOf("4/2#~%", "", 4), 0}, {filterOf("4/2#~%", "de", 1), 1}, {filterOf("4/2#~%", "pt-BR", 4), 0},
		{filterOf("4", "", 0), 0}, {filterOf("4/2", "", 0), 0},
	} {
		page, err := s.Page(ctx, c.filter, store.Window{Limit: 10})
		testkit.Check(t, err == nil && len(page.Items) == c.want, "%+v: %d comments, %v; want %d", c.filter, len(page.Items), err, c.want)
	}
	deleted, err := s.Delete(ctx, made.ID, nil)
	testkit.Check(t, err == nil && deleted.ProductID == "4/2#~%", "deleted %+v, %v", deleted, err)
	got, err = s.Get(ctx, made.ID)
	testkit.Check(t, got == nil && err == nil, "after delete: %+v, %v", got, err)
	wantCode(t, testkit.Err(s.Delete(ctx, made.ID, nil)), errs.NotFound)
	wantCode(t, testkit.Err(s.Update(ctx, store.Change{ID: made.ID, Rating: aws.Int(5)})), errs.NotFound)
	got, _ = s.Get(ctx, made.ID)
	testkit.Check(t, got == nil, "an update brought a deleted comment back")
}

// filterOf makes a filter; rating 0 is any.
func filterOf(product, language string, rating int) plan.Filter {
	f := plan.Filter{ProductID: product, Languages: key.Languages(language)}
	if rating > 0 {
		f.Ratings, _ = key.RatingsOf(rating)
	}
	return f
}

func TestExpectedVersion(t *testing.T) {
	s, _ := newStore(t)
	c := mustCreate(t, s, store.NewComment{ProductID: "42", Rating: 4, Language: "en"})
	update(t, s, store.Change{ID: c.ID, Rating: aws.Int(5), ExpectedVersion: aws.Int(1)})
	_, err := s.Update(t.Context(), store.Change{ID: c.ID, Rating: aws.Int(1), ExpectedVersion: aws.Int(1)})
	wantCode(t, err, errs.Conflict)
	got, _ := s.Get(t.Context(), c.ID)
	testkit.Check(t, got.Rating == 5 && got.Version == 2, "a refused change took effect: %+v", got)
}

func TestAChangeOfNothingWritesNothing(t *testing.T) {
	s, client := newStore(t)
	c := mustCreate(t, s, store.NewComment{ProductID: "42", Rating: 4, Language: "en", Title: "same"})
	other := store.New(beforeWrites(client, func() { t.Error("it writes") }), s.Table(), store.Options{})
	again := update(t, other, store.Change{ID: c.ID, Rating: aws.Int(4), Title: aws.String("same")})
	testkit.Check(t, again.Version == 1, "%+v", again)
}

// Writers that change different parts at once all take effect, and the keys of indexes
// match the resulting item.
func TestConcurrentUpdatesAllTakeEffect(t *testing.T) {
	s, _ := newStore(t)
	c := mustCreate(t, s, store.NewComment{ProductID: "42", Rating: 3, Language: "en"})
	changes := []store.Change{
		{Rating: aws.Int(5)}, {Language: aws.String("fr")}, {Title: aws.String("title")}, {Text: aws.String("text")},
		{Text: aws.String(strings.Repeat("long ", 2000))}, {Rating: aws.Int(1)}, {Language: aws.String("de")},
	}
	var wg sync.WaitGroup
	for _, change := range changes {
		change.ID = c.ID
		wg.Go(func() {
			_, err := s.Update(t.Context(), change)
			testkit.Check(t, err == nil, "%v", err)
		})
	}
	wg.Wait()
	got := get(t, s, c.ID)
	testkit.Check(t, got.Version == 1+len(changes) && got.Title == "title" && got.Text != "" && got.Rating != 3 && got.Language != "en", "a change was lost: %+v", got)
	it := storedItem(t, s, c.ID)
	want := key.OfComment("42", got.Language, got.Rating, got.Position())
	for name, value := range map[string]string{key.GSIPK: want.GSIPK, key.GSI2PK: want.GSI2PK, key.GSI3PK: want.GSI3PK, key.GSI4PK: want.GSI4PK, key.GSISK: want.GSISK} {
		testkit.Equal(t, table.Text(it, name), value, "%s", name)
	}
	testkit.Check(t, it["text"] == nil || it["longText"] == nil, "the item holds both a text and a long text")
}

func TestIdempotencyKey(t *testing.T) {
	s, _ := newStore(t)
	n := store.NewComment{ProductID: "42", Rating: 4, Language: "en", Text: "once", IdempotencyKey: "k"}
	ids := make([]string, 8)

	testkit.AtOnce(len(ids), func(i int) {
		c, err := s.Create(t.Context(), n)
		testkit.Check(t, err == nil, "%v", err)
		ids[i] = c.ID
	})
	for _, id := range ids {
		testkit.Need(t, id == ids[0], "several comments: %v", ids)
	}
	other := n
	other.ProductID = "43"
	if c, err := s.Create(t.Context(), other); err != nil || c.ID == ids[0] {
		t.Errorf("the key of another product: %s, %v", c.ID, err)
	}
	if page, err := s.Page(t.Context(), filterOf("42", "", 0), store.Window{Limit: 10}); err != nil || len(page.Items) != 1 {
		t.Errorf("%d comments, %v", len(page.Items), err)
	}
	remove(t, s, ids[0])
	wantCode(t, testkit.Err(s.Create(t.Context(), n)), errs.Conflict)
	page, _ := s.Page(t.Context(), filterOf("42", "", 0), store.Window{Limit: 10})
	testkit.Check(t, len(page.Items) == 0, "a repeated create brought a deleted comment back")
}

func TestLongTextsStayInTheItem(t *testing.T) {
	s, _ := newStore(t)
	texts := map[string]string{"none": "", "short": strings.Repeat("s", item.InlineText), "long": strings.Repeat("l", item.InlineText+1), "most": strings.Repeat("é", item.MaxText)}
	for title, text := range texts {
		mustCreate(t, s, store.NewComment{ProductID: "42", Rating: 4, Language: "en", Title: title, Text: text})
	}
	page, err := s.Page(t.Context(), filterOf("42", "", 0), store.Window{Limit: 10})
	testkit.Need(t, err == nil && len(page.Items) == len(texts), "%d comments, %v", len(page.Items), err)
	for _, c := range page.Items {
		if c.TextElsewhere != (len(texts[c.Title]) > item.InlineText) || (!c.TextElsewhere && c.Text != texts[c.Title]) {
			t.Errorf("%s: elsewhere %v, %d bytes", c.Title, c.TextElsewhere, len(c.Text))
		}
		whole, err := s.Get(t.Context(), c.ID)
		testkit.Check(t, err == nil && whole.Text == texts[c.Title] && !whole.TextElsewhere, "%s: %d bytes, %v", c.Title, len(whole.Text), err)
	}
}

func TestGetManyKeepsOrderAndLength(t *testing.T) {
	s, client := newStore(t)
	var comments []store.Comment
	for i := range 150 {
		comments = append(comments, store.Comment{ID: fmt.Sprintf("c%03d", i), ProductID: "42", Rating: 1 + i%5, Language: "en", CreatedAt: time.Unix(int64(i), 0)})
	}
	importAll(t, s, comments)
	ids := []string{"c149", "none", "c000", "c149"}
	for i := range 140 {
		ids = append(ids, fmt.Sprintf("c%03d", i))
	}
	// An engine never leaves keys unprocessed; DynamoDB does.
	var calls atomic.Int64
	stingy := &storetest.Calls{API: client, Do: func(ctx context.Context, in any, call storetest.Call) error {
		calls.Add(1)
		batch := in.(*dynamodb.BatchGetItemInput)
		some := batch.RequestItems[s.Table()]
		rest, n := some, min(40, len(some.Keys))
		some.Keys, rest.Keys = some.Keys[:n], some.Keys[n:]
		batch.RequestItems = map[string]types.KeysAndAttributes{s.Table(): some}
		out, err := call(ctx)
		if err == nil && len(rest.Keys) > 0 {
			out.(*dynamodb.BatchGetItemOutput).UnprocessedKeys = map[string]types.KeysAndAttributes{s.Table(): rest}
		}
		return err
	}}
	got, err := store.New(stingy, s.Table(), store.Options{}).GetMany(t.Context(), ids)
	testkit.Need(t, err == nil && len(got) == len(ids), "%d of %d, %v", len(got), len(ids), err)
	for i, c := range got {
		if (c == nil) != (ids[i] == "none") || (c != nil && c.ID != ids[i]) {
			t.Fatalf("place %d: %+v, want %s", i, c, ids[i])
		}
	}
	n := calls.Load()
	testkit.Check(t, n >= 4, "%d calls: the fault was not injected", n)
}

func TestImportOutcomes(t *testing.T) {
	s, client := newStore(t)
	at := time.Date(2020, 1, 2, 3, 4, 5, 6, time.UTC)
	comments := []store.Comment{
		{ID: "a", ProductID: "42", Rating: 1, Language: "en", Text: "one", CreatedAt: at},
		{ID: "b", ProductID: "42", Rating: 2, Language: "en", CreatedAt: at},
	}
	want := func(got []store.Outcome, err error, want ...store.Outcome) {
		t.Helper()
		testkit.Need(t, err == nil && fmt.Sprint(got) == fmt.Sprint(want), "got %v, %v; want %v", got, err, want)
	}
	got, err := s.Import(t.Context(), comments)
	want(got, err, store.Written, store.Written)
	got, err = s.Import(t.Context(), comments)
	want(got, err, store.Unchanged, store.Unchanged)
	update(t, s, store.Change{ID: "a", Rating: aws.Int(5)})
	// An export of an edited comment is the same comment.
	edited := get(t, s, "a")
	edited.UpdatedAt, edited.Version = time.Time{}, 0
	got, err = s.Import(t.Context(), []store.Comment{*edited})
	want(got, err, store.Unchanged)
	comments[1].CreatedAt = at.Add(time.Hour)
	refusals := []error{&types.ProvisionedThroughputExceededException{}, &types.ProvisionedThroughputExceededException{}}
	got, err = store.New(refusing(client, &refusals), s.Table(), store.Options{}).Import(t.Context(), append(comments, store.Comment{ID: "c", ProductID: "42", Rating: 3, Language: "en", CreatedAt: at}))
	want(got, err, store.Replaced, store.Replaced, store.Written)
	a := get(t, s, "a")
	testkit.Check(t, a.Rating == 1 && a.Version == 3 && a.UpdatedAt.Equal(at), "replaced: %+v", a)
	testkit.Check(t, len(refusals) == 0, "the fault was not injected")
}
