package store_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store"
	"product-comments/store/storetest"
)

// An update took effect, its answer was lost, and somebody edits the comment
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

// A delete whose answer was lost succeeds, and nobody is shown the comment any more.
func TestADeleteWhoseAnswerIsLost(t *testing.T) {
	var now clock
	l := newLosing(storetest.Client(t))
	s := openStore(t, l, storetest.TableName(t), store.Options{PageAge: time.Minute, Now: now.now})
	c := mustCreate(t, s, store.NewComment{ProductID: "42", Rating: 1, Language: "en"})
	now.advance(time.Second)
	want := func(comments int) {
		t.Helper()
		if p, err := s.Page(t.Context(), filterOf("42", "", 0), store.Window{Limit: 10}); err != nil || len(p.Items) != comments {
			t.Errorf("%d comments, %v; want %d", len(p.Items), err, comments)
		}
	}
	want(1)
	l.lose = 1
	if deleted, err := s.Delete(t.Context(), c.ID); err != nil || deleted.ID != c.ID {
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
	if len(refusals) > 0 {
		t.Error("nothing was refused")
	}
}
