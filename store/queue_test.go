package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/comment/stats"
	"product-comments/store/comment/votes"
	"product-comments/store/errs"
	"product-comments/store/index/authors"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// queue returns which comments are in a part of the queue.
func queue(t testing.TB, s *store.Store, q store.Queue, w store.Window) (ids []string, page list.Page[store.Placed]) {
	t.Helper()
	page = testkit.Value(s.Queue(t.Context(), q, w))(t)
	for _, c := range page.Items {
		ids = append(ids, c.Comment.ID)
	}
	return ids, page
}

// The queue has what waits, oldest first, by language and whether it was reported; it is
// paged from both ends, and counted.
func TestQueue(t *testing.T) {
	s := moderated(t, moderation.Options{})
	var waiting []string
	var all []store.Comment
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 30 {
		c := store.Comment{ID: fmt.Sprintf("c%02d", i), ProductID: fmt.Sprint("p", i%3), Rating: 1 + i%5, Language: []string{"en", "de"}[i%2], CreatedAt: at.Add(time.Duration(i) * time.Minute)}
		if i%3 > 0 {
			c.State = item.Pending
			waiting = append(waiting, c.ID)
		}
		if i%5 == 0 {
			c.Reports = 1
		}
		all = append(all, c)
	}
	importAll(t, s, all)
	project(t, s)
	var forward []string
	w := store.Window{Limit: 7}
	for {
		ids, page := queue(t, s, store.Queue{State: item.Pending}, w)
		forward = append(forward, ids...)
		if !page.HasNext {
			break
		}
		w.After = &page.Items[len(ids)-1].At
	}
	testkit.Check(t, slices.Equal(forward, waiting), "got %q, want %q", forward, waiting)
	ids, page := queue(t, s, store.Queue{State: item.Pending}, store.Window{Limit: 3, Backward: true})
	testkit.Check(t, slices.Equal(ids, waiting[len(waiting)-3:]) && page.HasPrevious, "the last are %q", ids)
	totals := testkit.Value(s.Moderation().Counts(t.Context()))(t)
	yes, no := true, false
	for _, q := range []store.Queue{
		{State: item.Pending}, {State: item.Pending, Language: "de"}, {State: item.Pending, Reported: &yes}, {State: item.Pending, Language: "en", Reported: &no},
		{State: item.Published}, {State: item.Published, Language: "en", Reported: &yes}, {State: item.Rejected}, {State: item.Pending, Language: "fr"},
	} {
		var want []string
		for _, c := range all {
			if q.Has(&item.Stored{Comment: c}) {
				want = append(want, c.ID)
			}
		}
		got, _ := queue(t, s, q, store.Window{Limit: 100})
		if !slices.Equal(got, want) || totals.Count(q) != len(want) {
			t.Errorf("%s: got %q, counted %d, want %q", q.Scope(), got, totals.Count(q), want)
		}
	}
}

// A comment that is rejected while someone votes on it is not shown to them.
func TestAVoteOnACommentThatIsBeingRejected(t *testing.T) {
	s := moderated(t, moderation.Options{})
	c := mustCreate(t, s, by("alice"))
	reject := sync.OnceFunc(func() { decide(t, s, c.ID, moderation.Reject) })
	m := storetest.Before(storetest.Client(t), func(_ context.Context, in *dynamodb.GetItemInput) {
		if partitionOf(in.Key) == key.Comment(c.ID) {
			reject()
		}
	})
	got, err := storeOn(t, m, s.Table()).Vote(t.Context(), c.ID, key.VoterOf("bob"), votes.Helpful, nil)
	wantCode(t, err, errs.NotFound)
	testkit.Check(t, got.ID == "", "Bob is shown %+v", got)
}

// A page of what waits, or of what someone wrote, is as long as was asked for although
// some of it went elsewhere while it was read.
func TestPagesAreFilledUp(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Pre})
	var all []string // newest first
	for range 6 {
		all = append([]string{mustCreate(t, s, by("alice")).ID}, all...)
	}
	pending := item.Pending
	authored := func(s *store.Store, w store.Window) (list.Page[store.Placed], error) {
		return s.Authored(t.Context(), authors.Filter{Author: "alice", State: &pending}, w)
	}
	inQueue := func(s *store.Store, w store.Window) (list.Page[store.Placed], error) {
		return s.Queue(t.Context(), store.Queue{State: pending}, w)
	}
	oldest := slices.Clone(all)
	slices.Reverse(oldest)
	for _, c := range []struct {
		name     string
		read     func(*store.Store, store.Window) (list.Page[store.Placed], error)
		in       []string
		backward bool
	}{{"authored", authored, all, false}, {"authored, backward", authored, all, true}, {"queue", inQueue, oldest, false}, {"queue, backward", inQueue, oldest, true}} {
		t.Run(c.name, func(t *testing.T) {
			leave, want := c.in[:2], c.in[2:5]
			if c.backward {
				leave, want = c.in[4:], c.in[1:4]
			}
			approve := sync.OnceFunc(func() {
				for _, id := range leave {
					decide(t, s, id, moderation.Approve)
				}
			})
			m := storetest.Before(storetest.Client(t), func(_ context.Context, in *dynamodb.BatchGetItemInput) {
				if slices.ContainsFunc(in.RequestItems[s.Table()].Keys, func(k table.Item) bool { return partitionOf(k) == key.Comment(leave[0]) }) {
					approve()
				}
			})
			page := testkit.Value(c.read(storeOn(t, m, s.Table()), store.Window{Limit: 3, Backward: c.backward}))(t)
			var got []string
			for _, p := range page.Items {
				got = append(got, p.Comment.ID)
			}
			testkit.Check(t, slices.Equal(got, want) && page.HasNext != c.backward && page.HasPrevious == c.backward, "got %q, next %t, previous %t; want %q", got, page.HasNext, page.HasPrevious, want)
			for _, id := range leave { // come back, for the next case
				update(t, s, store.Change{ID: id, Title: &c.name, By: "alice"})
			}
		})
	}
}

// The error of an approval that is not possible is about the comment, since its language is no input
// of the moderator. Comments that are not shown have no limit of languages.
func TestOneLanguageTooManyIsNotApproved(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Pre})
	var others []store.Comment
	for i := range stats.MaxLanguages {
		other := saying(fmt.Sprintf("other-%d", i), 1)
		other.Language = fmt.Sprintf("de-%c%c", 'A'+i/26, 'A'+i%26)
		others = append(others, other)
	}
	importAll(t, s, others)
	c := mustCreate(t, s, by("alice"))
	_, err := s.Decide(t.Context(), store.Ruling{ID: c.ID, Verb: moderation.Approve, By: "mia"})
	var coded *errs.Error
	testkit.Check(t, errors.As(err, &coded) && coded.Code == errs.BadUserInput && coded.Field == "id" && coded.Reason == errs.TooMany, "%+v", err)
}
