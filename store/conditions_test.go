package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// interruptible returns a store with one comment, and a second store of the
// table after whose first read the function is called, perhaps by another goroutine.
func interruptible(t *testing.T, between func(s *store.Store) error) (s, other *store.Store, c store.Comment) {
	t.Helper()
	s, client := newStore(t)
	c = saying("1", 1)
	importAll(t, s, []store.Comment{c})
	interrupted := afterReads(client, func() {
		err := between(s)
		testkit.Check(t, err == nil, "%v", err)
	})
	return s, store.New(interrupted, s.Table(), store.Options{}), c
}

func wantOutcome(t *testing.T, s *store.Store, c store.Comment, want store.Outcome) {
	t.Helper()
	got, err := s.Import(t.Context(), []store.Comment{c})
	testkit.Check(t, err == nil && got[0] == want, "imported %v, %v; want %v", got, err, want)
}

// An import counts an edit that was made since it looked, and does not bring back
// what was deleted since.
func TestImportMeetsOthers(t *testing.T) {
	s, other, c := interruptible(t, func(s *store.Store) error { return testkit.Err(s.Delete(t.Context(), "1", nil)) })
	c.Rating = 5
	wantOutcome(t, other, c, store.Written)
	if got := get(t, s, c.ID); got == nil || got.Rating != 5 || got.Version != 1 { // the import comes after the deletion
		t.Errorf("got %+v", got)
	}

	s, other, c = interruptible(t, func(s *store.Store) error {
		return testkit.Err(s.Update(t.Context(), store.Change{ID: "1", Rating: aws.Int(4)}))
	})
	c.Text = "another text"
	wantOutcome(t, other, c, store.Replaced)
	if got := get(t, s, c.ID); got.Version != 3 || got.Text != c.Text || got.Rating != c.Rating { // the import comes after the edit, and counts it
		t.Errorf("got %+v", got)
	}
}

// Of two deletions at once both succeed.
func TestDeletionsMeet(t *testing.T) {
	_, other, c := interruptible(t, func(s *store.Store) error { return testkit.Err(s.Delete(t.Context(), "1", nil)) })
	if deleted, err := other.Delete(t.Context(), c.ID, nil); err != nil || deleted.Text != c.Text {
		t.Errorf("%+v, %v", deleted, err)
	}
	wantCode(t, testkit.Err(other.Delete(t.Context(), c.ID, nil)), errs.NotFound)
}

// lastKey answers with a LastEvaluatedKey that no index can have.
type lastKey struct{ store.API }

func (l lastKey) Query(ctx context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	out, err := l.API.Query(ctx, in)
	if err == nil {
		out.LastEvaluatedKey = table.Item{key.GSISK: table.S("nonsense")}
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
// which no one could read.
func TestAnImportDuringATouch(t *testing.T) {
	s, other, c := interruptible(t, func(s *store.Store) error {
		return s.Projector().Table().Write(t.Context(), "touch", table.Write{
			Key: table.Key(key.Comment("1")), Update: "SET av = :version", If: table.Exists, Values: table.Item{":version": table.S("1")},
		})
	})
	c.ProductID = "43"
	importAll(t, other, []store.Comment{c})
	if it := storedItem(t, s, c.ID); it["av"] != nil {
		t.Errorf("it is under %v", it["av"])
	}
}

// An update took effect, its answer was lost, and someone edits the comment
// before it is repeated: that edit stays.
func TestAnUpdateWhoseAnswerIsLostTakesEffectOnce(t *testing.T) {
	s, client := newStore(t)
	c := mustCreate(t, s, store.NewComment{ProductID: "42", Rating: 1, Language: "en", Title: "old"})
	between := func() { update(t, s, store.Change{ID: c.ID, Title: aws.String("theirs")}) }
	l := newLosing(client)
	l.lose, l.between = 1, between
	other := store.New(l, s.Table(), store.Options{})
	if got, err := other.Update(t.Context(), store.Change{ID: c.ID, Title: aws.String("ours")}); err != nil || got.Version != 2 || got.Title != "ours" {
		t.Errorf("%+v, %v", got, err)
	}
	if got := get(t, s, c.ID); got.Version != 3 || got.Title != "theirs" {
		t.Errorf("%+v", got)
	}
}

// A delete whose answer was lost succeeds, and no one is shown the comment any more.
func TestADeleteWhoseAnswerIsLost(t *testing.T) {
	var now clock
	l := newLosing(storetest.Client(t))
	s := openStore(t, l, storetest.TableName(t), store.Options{PageAge: time.Minute, Now: now.now})
	c := mustCreate(t, s, store.NewComment{ProductID: "42", Rating: 1, Language: "en"})
	now.advance(time.Second)
	want := func(comments int) {
		t.Helper()
		p, err := s.Page(t.Context(), filterOf("42", "", 0), store.Window{Limit: 10})
		testkit.Check(t, err == nil && len(p.Items) == comments, "%d comments, %v; want %d", len(p.Items), err, comments)
	}
	want(1)
	l.lose = 1
	if deleted, err := s.Delete(t.Context(), c.ID, nil); err != nil || deleted.ID != c.ID {
		t.Errorf("%+v, %v", deleted, err)
	}
	want(0)
}

// A write of one item waits while a transaction has the item in hand, and while
// the table is throttled.
func TestWritesWaitForTransactions(t *testing.T) {
	var refusals []error
	s := storeOn(t, refusing(storetest.Client(t), &refusals), storetest.TableName(t))
	refused := func() {
		conflict, throttled := &types.TransactionConflictException{Message: aws.String("injected")}, &types.ProvisionedThroughputExceededException{Message: aws.String("injected")}
		refusals = []error{conflict, throttled, conflict}
	}
	refused()
	c := mustCreate(t, s, store.NewComment{ProductID: "42", Rating: 1, Language: "en"})
	refused()
	update(t, s, store.Change{ID: c.ID, Title: aws.String("title")})
	refused()
	remove(t, s, c.ID)
	testkit.Check(t, len(refusals) == 0, "nothing was refused")
}

// A write whose answer is lost is done once, and answered as if nothing happened.
func TestLostAnswers(t *testing.T) {
	l := newLosing(storetest.Client(t))
	s := storeOn(t, l, storetest.TableName(t))
	for _, n := range []store.NewComment{{}, {IdempotencyKey: "k"}, {Owner: "alice", OnePerOwner: true}, {Owner: "bob", OnePerOwner: true, IdempotencyKey: "k"}} {
		n.ProductID, n.Rating, n.Language = "42", 4, "en"
		l.lose = 1
		c := mustCreate(t, s, n)
		l.lose = 1
		after := update(t, s, store.Change{ID: c.ID, Rating: aws.Int(5), ExpectedVersion: aws.Int(1)})
		testkit.Need(t, after.Version == 2, "%+v", after)
		wantShown(t, s, "42", c.ID)
		l.lose = 1
		if n.Owner != "" {
			wantWrote(t, s, n.Owner, "42", c.ID)
		}
		deleted, err := s.Delete(t.Context(), c.ID, nil)
		testkit.Check(t, err == nil && deleted.ID == c.ID, "delete: %+v, %v", deleted, err)
		if n.Owner != "" {
			wantWrote(t, s, n.Owner, "42")
		}
	}
	imported := []store.Comment{{ID: "i", ProductID: "42", Rating: 4, Language: "en", CreatedAt: time.Unix(1, 0)}}
	for _, want := range []store.Outcome{store.Written, store.Replaced} {
		l.lose = 1
		wantOutcome(t, s, imported[0], want)
		imported[0].Rating--
	}
	l.lose = 1
	if deleted, err := s.Delete(t.Context(), "i", nil); err != nil || deleted.Rating != 3 || deleted.Version != 2 {
		t.Errorf("deleted %+v, %v", deleted, err)
	}
	wantCode(t, testkit.Err(s.Delete(t.Context(), "i", nil)), errs.NotFound)
	testkit.Check(t, l.lose == 0, "the answer of the last call was not lost")
}

func TestOneThrottledPartitionMakesThePageUnavailable(t *testing.T) {
	s, client := newStore(t)
	for r := 1; r <= 5; r++ {
		mustCreate(t, s, store.NewComment{ProductID: "42", Rating: r, Language: "en"})
	}
	failing := func(with error) *storetest.Calls {
		return &storetest.Calls{API: client, Do: func(ctx context.Context, in any, call storetest.Call) error {
			if query, ok := in.(*dynamodb.QueryInput); ok && strings.HasSuffix(table.Text(query.ExpressionAttributeValues, ":partition"), "/5") {
				return with
			}
			_, err := call(ctx)
			return err
		}}
	}
	for _, fail := range []error{
		&types.ProvisionedThroughputExceededException{}, &types.RequestLimitExceeded{}, &types.InternalServerError{}, context.DeadlineExceeded,
	} {
		f := failing(fail)
		ratings, _ := key.RatingsOf(1, 5)
		page, err := store.New(f, s.Table(), store.Options{CallTimeout: time.Second}).Page(t.Context(), plan.Filter{ProductID: "42", Ratings: ratings}, store.Window{Limit: 10})
		wantCode(t, err, errs.Unavailable)
		testkit.Check(t, len(page.Items) == 0 && errors.Is(err, fail), "a partial page: %+v, %v", page, err)
	}
	f := failing(errors.New("a fault of ours"))
	_, err := store.New(f, s.Table(), store.Options{}).Page(t.Context(), filterOf("42", "", 5), store.Window{Limit: 10})
	wantCode(t, err, errs.Internal)
}

// Errors come through the deserializer of our own as the SDK makes them.
func TestAQueryOfAMissingTableIsUnavailable(t *testing.T) {
	_, err := store.New(storetest.Client(t), "missing-table", store.Options{}).Page(t.Context(), filterOf("42", "", 5), store.Window{Limit: 10})
	wantCode(t, err, errs.Unavailable)
	var missing *types.ResourceNotFoundException
	testkit.Check(t, errors.As(err, &missing), "got %v", err)
}

func TestAnEngineThatIsGoneIsUnavailable(t *testing.T) {
	client := storetest.At("http://127.0.0.1:1")
	s := store.New(client, "comments", store.Options{CallTimeout: 200 * time.Millisecond})
	wantCode(t, testkit.Err(s.Get(t.Context(), "a")), errs.Unavailable)
	_, err := s.Create(t.Context(), store.NewComment{ProductID: "42", Rating: 4, Language: "en"})
	wantCode(t, err, errs.Unavailable)
}
