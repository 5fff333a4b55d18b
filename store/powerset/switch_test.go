package powerset_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/store"
	"product-comments/store/settings"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
	"product-comments/store/verify"
)

// delayed are the calls of a process whose transactions take a while to arrive.
type delayed struct {
	store.API
	by    time.Duration
	begin sync.Once
	began chan struct{} // closed with the first transaction
}

func (d *delayed) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	d.begin.Do(func() { close(d.began) })
	time.Sleep(d.by)
	return d.API.TransactWriteItems(ctx, in, o...)
}

// A projector is about to count a comment without copies when its product is
// switched on, and the comment is not in the index yet: neither the walk of the
// index nor the counts tell of it. It is copied all the same before copies are read.
func TestACommentThatIsCountedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := double.New(double.Options{IndexLag: 500 * time.Millisecond}).Client("test")
		process := func(api store.API) *store.Store {
			return store.New(api, "comments", store.Options{PlaceAge: -1, MetaAge: time.Nanosecond})
		}
		project := func(s *store.Store) error {
			_, err := storetest.ProjectOnce(t.Context(), client, s.Projector())
			return err
		}
		s := process(client)
		if err := s.EnsureTable(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		if err := project(s); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Create(t.Context(), store.NewComment{ProductID: "42", Rating: 3, Language: "en"}); err != nil {
			t.Fatal(err)
		}

		late := &delayed{API: client, by: 2 * time.Second, began: make(chan struct{})}
		counted, on := make(chan error, 1), make(chan error, 1)
		go func() { counted <- project(process(late)) }()
		<-late.began
		go func() { on <- s.PowerSets().On(t.Context(), "42", nil) }()
		if err := <-counted; err != nil {
			t.Fatal(err)
		}
		for waiting := true; waiting; { // what On touches must be projected
			select {
			case err := <-on:
				if err != nil {
					t.Fatal(err)
				}
				waiting = false
			case <-time.After(100 * time.Millisecond):
				if err := project(s); err != nil {
					t.Fatal(err)
				}
			}
		}

		found, err := verify.Run(t.Context(), s.Projector(), verify.Options{})
		if err != nil || found.State != settings.StateKept || found.Comments != 1 {
			t.Fatalf("%+v, %v", found, err)
		}
		for _, d := range found.Differences {
			t.Error(d)
		}
	})
}
