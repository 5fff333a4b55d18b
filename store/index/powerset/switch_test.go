package powerset_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
	"product-comments/store/table"
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
		testkit.Must(t, s.EnsureTable(t.Context(), true))
		testkit.Must(t, project(s))
		if _, err := s.Create(t.Context(), store.NewComment{ProductID: "42", Rating: 3, Language: "en"}); err != nil {
			t.Fatal(err)
		}

		late := &delayed{API: client, by: 2 * time.Second, began: make(chan struct{})}
		counted, on := make(chan error, 1), make(chan error, 1)
		go func() { counted <- project(process(late)) }()
		<-late.began
		go func() { on <- s.PowerSets().Enable(t.Context(), "42", nil) }()
		testkit.Must(t, <-counted)
		for waiting := true; waiting; { // what On touches must be projected
			select {
			case err := <-on:
				testkit.Must(t, err)
				waiting = false
			case <-time.After(100 * time.Millisecond):
				testkit.Must(t, project(s))
			}
		}

		testkit.Equal(t, storetest.Verified(t, s.Projector()).Comments, 1, "comments")
	})
}

// shop is a table with one product of some comments.
type shop struct {
	*testing.T
	db *double.DB
	s  *store.Store
}

func newShop(t *testing.T, comments int, o double.Options) *shop {
	h := &shop{T: t, db: double.New(o)}
	h.s = h.process(h.db.Client("test"))
	testkit.Must(t, h.s.EnsureTable(t.Context(), true))
	h.project()
	var all []store.Comment
	for i := range comments {
		all = append(all, store.Comment{ID: strconv.Itoa(i), ProductID: "42", Rating: 1 + i%5, Language: "en", CreatedAt: time.Unix(int64(i), 0)})
	}
	testkit.Value(h.s.Import(t.Context(), all))(t)
	h.project()
	return h
}

func (h *shop) process(api store.API) *store.Store {
	return store.New(api, "comments", store.Options{PlaceAge: -1, MetaAge: time.Nanosecond})
}

func (h *shop) project() {
	h.Helper()
	testkit.Value(storetest.ProjectOnce(h.Context(), h.db.Client("test"), h.s.Projector()))(h)
}

// maintained carries on what is under way, as a process that projects does, until the
// product is in a state.
func (h *shop) maintained(want settings.IndexState) {
	h.Helper()
	other := h.process(h.db.Client("test"))
	for began := time.Now(); ; time.Sleep(other.PowerSets().Pause()) {
		testkit.Must(h, other.PowerSets().Maintain(h.Context()))
		h.project()
		state := testkit.Value(h.s.Settings().Read(h.Context()))(h).PowerSets["42"]
		if state == want {
			break
		}
		if time.Since(began) > time.Minute {
			h.Fatalf("after a minute it is %s, not %s", state, want)
		}
	}
	storetest.Verified(h, h.s.Projector())
}

func (h *shop) copies() (n int) {
	for _, it := range h.db.Items() {
		if _, _, _, ok := key.ParsePowerSet(table.Text(it, key.PK)); ok {
			n++
		}
	}
	return n
}

// An index that is far behind lacks a comment which was projected before its product was
// switched on. Copies are not read until it has it, and a command that switches the
// product on does not wait for ever.
func TestAnIndexThatIsFarBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newShop(t, 0, double.Options{IndexLag: 3 * time.Minute})
		testkit.Value(h.s.Create(t.Context(), store.NewComment{ProductID: "42", Rating: 3, Language: "en"}))(t)
		h.project()
		ctx, stop := context.WithTimeout(t.Context(), 150*time.Second)
		defer stop()
		testkit.Fails(t, h.s.PowerSets().Enable(ctx, "42", nil), "check that one is running")
		time.Sleep(3 * time.Minute)
		h.maintained(settings.IndexReadable)
		testkit.Equal(t, h.copies(), 32, "copies")
	})
}

// A switch of a product on or off that was stopped: projectors finish it by themselves.
func TestProjectorsFinishWhatWasStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newShop(t, 250, double.Options{})
		for _, c := range []struct {
			turn   func(context.Context, string, func(int)) error
			want   settings.IndexState
			copies int
		}{{h.s.PowerSets().Enable, settings.IndexReadable, 250 * 32}, {h.s.PowerSets().Disable, settings.IndexAbsent, 0}} {
			ctx, stop := context.WithCancel(t.Context())
			err := c.turn(ctx, "42", func(int) { stop() })
			testkit.Need(t, err != nil && ctx.Err() != nil, "it was not stopped: %v", err)
			h.maintained(c.want)
			testkit.Equal(t, h.copies(), c.copies, "copies, "+c.want.String())
		}
	})
}

// A process that removes copies is delayed, until others have finished that and made them
// again: it removes none of the new ones.
func TestALateRemoval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newShop(t, 5, double.Options{})
		var on sync.WaitGroup
		on.Go(func() { testkit.Must(t, h.s.PowerSets().Enable(t.Context(), "42", nil)) })
		h.maintained(settings.IndexReadable)
		on.Wait()
		late, arrived := make(chan struct{}), make(chan struct{}, 9)
		slow := h.process(&storetest.Calls{API: h.db.Client("slow"), Do: func(ctx context.Context, in any, call storetest.Call) error {
			if in, ok := in.(*dynamodb.TransactWriteItemsInput); ok && len(in.TransactItems) > 32 {
				<-late
				defer func() { arrived <- struct{}{} }()
				ctx = context.WithoutCancel(ctx)
			}
			_, err := call(ctx)
			return err
		}})
		ctx, give := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- slow.PowerSets().Disable(ctx, "42", nil) }()
		time.Sleep(time.Minute) // it is about to remove
		testkit.Must(t, h.s.PowerSets().Disable(t.Context(), "42", nil))
		testkit.Equal(t, h.copies(), 0, "copies after another process removed them")
		on.Go(func() { testkit.Must(t, h.s.PowerSets().Enable(t.Context(), "42", nil)) })
		h.maintained(settings.IndexReadable)
		on.Wait()
		close(late)
		<-arrived
		give()
		<-ended
		testkit.Equal(t, h.copies(), 5*32, "copies after the late removal")
	})
}
