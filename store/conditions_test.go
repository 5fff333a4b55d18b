package store_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// interrupted lets somebody else do something between the first read of a
// comment and what is done with it.
type interrupted struct {
	store.API
	between func()
	once    sync.Once
}

func (i *interrupted) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	out, err := i.API.GetItem(ctx, in, o...)
	if pk := in.Key["PK"].(*types.AttributeValueMemberS).Value; strings.HasPrefix(pk, "COMMENT#") {
		i.once.Do(i.between)
	}
	return out, err
}

func (i *interrupted) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	out, err := i.API.BatchGetItem(ctx, in, o...)
	i.once.Do(i.between)
	return out, err
}

func (i *interrupted) Scan(ctx context.Context, in *dynamodb.ScanInput, o ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	out, err := i.API.Scan(ctx, in, o...)
	if len(out.Items) > 0 && in.IndexName == nil {
		for _, it := range out.Items {
			if pk := it["PK"].(*types.AttributeValueMemberS).Value; strings.HasPrefix(pk, "COMMENT#") {
				i.once.Do(i.between)
			}
		}
	}
	return out, err
}

// interruptible returns a store with one comment, and a second store of the
// table during whose first read the function is called.
func interruptible(t *testing.T, between func(s *store.Store)) (s, other *store.Store, c store.Comment) {
	t.Helper()
	s, client := newStore(t)
	c = saying("1", 1)
	importAll(t, s, []store.Comment{c})
	train(t, s, 200)
	return s, store.New(&interrupted{API: client, between: func() { between(s) }}, s.Table(), store.Options{}), c
}

// A comment's text is packed, which is no edit, while somebody edits it: the
// item must not end with old words beside new ones.
func TestTextsArePackedDuringAnEdit(t *testing.T) {
	s, other, c := interruptible(t, func(s *store.Store) {
		if n, err := s.PackTexts(t.Context(), store.ScanOptions{}); n != 1 || err != nil {
			t.Errorf("packed %d, %v", n, err)
		}
	})
	c.Title = "Another title"
	update(t, other, store.Change{ID: c.ID, Title: &c.Title})
	wantSaid(t, s.Table(), c)
	it := storedItem(t, storetest.Client(t), s.Table(), c.ID)
	for _, name := range []string{"title", "text", "author"} {
		if it["z"] != nil && it[name] != nil {
			t.Errorf("%s is stored twice: %v", name, it)
		}
	}
}

// So is one that is edited by a server which has not heard of a dictionary yet,
// and writes plain words.
func TestTextsArePackedDuringAPlainEdit(t *testing.T) {
	s, client := newStore(t)
	c := saying("1", 1)
	importAll(t, s, []store.Comment{c})
	between := func() {
		if _, err := s.TrainTexts(t.Context(), words(200)); err != nil {
			t.Error(err)
		}
		if n, err := s.PackTexts(t.Context(), store.ScanOptions{}); n != 1 || err != nil {
			t.Errorf("packed %d, %v", n, err)
		}
	}
	other := store.New(&interrupted{API: client, between: between}, s.Table(), store.Options{MetaAge: time.Hour})
	if _, err := other.Settings().Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.Title = "Another title"
	update(t, other, store.Change{ID: c.ID, Title: &c.Title})
	wantSaid(t, s.Table(), c)
	if it := storedItem(t, client, s.Table(), c.ID); it["z"] != nil {
		t.Errorf("words are packed beside plain ones: %v", it)
	}
}

// The other way round: what was edited since it was read is not packed as it was.
func TestACommentIsEditedWhileItIsPacked(t *testing.T) {
	title := "Another title"
	s, other, c := interruptible(t, func(s *store.Store) {
		if _, err := s.Update(t.Context(), store.Change{ID: "1", Title: &title}); err != nil {
			t.Error(err)
		}
	})
	if n, err := other.PackTexts(t.Context(), store.ScanOptions{}); n != 0 || err != nil {
		t.Errorf("packed %d, %v", n, err)
	}
	c.Title = title
	wantSaid(t, s.Table(), c)
}

// An import counts an edit that was made since it looked, and does not bring back
// what was deleted since.
func TestImportMeetsOthers(t *testing.T) {
	s, other, c := interruptible(t, func(s *store.Store) {
		if _, err := s.Delete(t.Context(), "1"); err != nil {
			t.Error(err)
		}
	})
	c.Rating = 5
	if got, err := other.Import(t.Context(), []store.Comment{c}); err != nil || got[0] != store.Written {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := s.Get(t.Context(), c.ID); err != nil || got == nil || got.Rating != 5 || got.Version != 1 { // the import comes after the deletion
		t.Errorf("got %+v, %v", got, err)
	}

	rating := 4
	s, other, c = interruptible(t, func(s *store.Store) {
		if _, err := s.Update(t.Context(), store.Change{ID: "1", Rating: &rating}); err != nil {
			t.Error(err)
		}
	})
	c.Text = "another text"
	if got, err := other.Import(t.Context(), []store.Comment{c}); err != nil || got[0] != store.Replaced {
		t.Errorf("%v, %v", got, err)
	}
	got := get(t, s, c.ID)
	if got.Version != 3 || got.Text != c.Text || got.Rating != c.Rating { // the import comes after the edit, and counts it
		t.Errorf("got %+v", got)
	}
}

// Of two deletions at once both succeed.
func TestDeletionsMeet(t *testing.T) {
	_, other, c := interruptible(t, func(s *store.Store) {
		if _, err := s.Delete(t.Context(), "1"); err != nil {
			t.Error(err)
		}
	})
	if deleted, err := other.Delete(t.Context(), c.ID); err != nil || deleted.Text != c.Text {
		t.Errorf("%+v, %v", deleted, err)
	}
	_, err := other.Delete(t.Context(), c.ID)
	wantCode(t, err, errs.NotFound)
}

// lastKey answers with a LastEvaluatedKey that no index can have.
type lastKey struct{ store.API }

func (l lastKey) Query(ctx context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	out, err := l.API.Query(ctx, in)
	if err == nil {
		out.LastEvaluatedKey = map[string]types.AttributeValue{"GSISK": &types.AttributeValueMemberS{Value: "nonsense"}}
	}
	return out, err
}

func TestALastEvaluatedKeyThatIsNoPlace(t *testing.T) {
	s, client := newStore(t)
	_, err := store.New(lastKey{client}, s.Table(), store.Options{}).Page(t.Context(), filterOf("42", "", 0), store.Window{Limit: 10})
	wantCode(t, err, errs.Internal)
}

// A comment is brought to new definitions of its product while an import takes it to
// another product: it must not keep the version of definitions that are not its own,
// which nobody could read.
func TestAnImportDuringATouch(t *testing.T) {
	s, other, c := interruptible(t, func(s *store.Store) {
		err := s.Projector().Table().Write(t.Context(), "touch", table.Write{
			Key: table.Key(key.Comment("1")), Update: "SET av = :version", If: table.Exists, Values: table.Item{":version": table.S("1")},
		})
		if err != nil {
			t.Error(err)
		}
	})
	c.ProductID = "43"
	importAll(t, other, []store.Comment{c})
	if it := storedItem(t, storetest.Client(t), s.Table(), c.ID); it["av"] != nil {
		t.Errorf("it is under %v", it["av"])
	}
}
