package store_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store"
	"product-comments/store/storetest"
)

// repeating repeats the first update of an item, as the SDK does when the answer
// is lost; before that something happens.
type repeating struct {
	store.API
	once    sync.Once
	between func()
}

func (r *repeating) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	if aws.ToString(in.ConditionExpression) != "" {
		r.once.Do(func() {
			_, _ = r.API.UpdateItem(ctx, in, o...)
			r.between()
		})
	}
	return r.API.UpdateItem(ctx, in, o...)
}

// An update took effect, its answer was lost, and somebody edits the comment
// before it is repeated: that edit stays.
func TestAnUpdateWhoseAnswerIsLostTakesEffectOnce(t *testing.T) {
	s, client := newStore(t)
	c := mustCreate(t, s, store.NewComment{ProductID: "42", Rating: 1, Language: "en", Title: "old"})
	between := func() {
		if _, err := s.Update(t.Context(), store.Change{ID: c.ID, Title: aws.String("theirs")}); err != nil {
			t.Error(err)
		}
	}
	other := store.New(&repeating{API: client, between: between}, s.Table(), store.Options{})
	if got, err := other.Update(t.Context(), store.Change{ID: c.ID, Title: aws.String("ours")}); err != nil || got.Version != 2 || got.Title != "ours" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := s.Get(t.Context(), c.ID); err != nil || got.Version != 3 || got.Title != "theirs" {
		t.Errorf("%+v, %v", got, err)
	}
}

// A delete whose answer was lost succeeds, and nobody is shown the comment any more.
func TestADeleteWhoseAnswerIsLost(t *testing.T) {
	var now clock
	f := &faulty{API: storetest.Client(t)}
	s := store.New(f, storetest.TableName(t), store.Options{PageAge: time.Minute, Now: now.now})
	must(t, s.EnsureTable(t.Context(), true))
	c := mustCreate(t, s, store.NewComment{ProductID: "42", Rating: 1, Language: "en"})
	now.advance(time.Second)
	want := func(comments int) {
		t.Helper()
		if p, err := s.Page(t.Context(), filterOf("42", "", 0), store.Window{Limit: 10}); err != nil || len(p.Items) != comments {
			t.Errorf("%d comments, %v; want %d", len(p.Items), err, comments)
		}
	}
	want(1)
	f.lose = 1
	if deleted, err := s.Delete(t.Context(), c.ID); err != nil || deleted.ID != c.ID {
		t.Errorf("%+v, %v", deleted, err)
	}
	want(0)
}

// busy refuses the first writes of single items, for reasons that pass.
type busy struct {
	store.API
	mu       sync.Mutex
	refusals []error
}

func (b *busy) refusal() (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.refusals) > 0 {
		err, b.refusals = b.refusals[0], b.refusals[1:]
	}
	return err
}

func (b *busy) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	if err := b.refusal(); err != nil {
		return nil, err
	}
	return b.API.PutItem(ctx, in, o...)
}

func (b *busy) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	if err := b.refusal(); err != nil {
		return nil, err
	}
	return b.API.UpdateItem(ctx, in, o...)
}

// A write of one item waits while a transaction has the item in hand, and while
// the table is throttled.
func TestWritesWaitForTransactions(t *testing.T) {
	b := &busy{API: storetest.Client(t)}
	s := storeOn(t, b, storetest.TableName(t))
	refused := func() {
		b.refusals = []error{
			&types.TransactionConflictException{Message: aws.String("injected")},
			&types.ProvisionedThroughputExceededException{Message: aws.String("injected")},
			&types.TransactionConflictException{Message: aws.String("injected")},
		}
	}
	refused()
	c := mustCreate(t, s, store.NewComment{ProductID: "42", Rating: 1, Language: "en"})
	refused()
	if _, err := s.Update(t.Context(), store.Change{ID: c.ID, Title: aws.String("title")}); err != nil {
		t.Error(err)
	}
	refused()
	if _, err := s.Delete(t.Context(), c.ID); err != nil {
		t.Error(err)
	}
	if len(b.refusals) > 0 {
		t.Error("nothing was refused")
	}
}
