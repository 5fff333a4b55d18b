package orphans_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/moderation"
	"product-comments/store/comment/votes"
	"product-comments/store/derive/stream"
	"product-comments/store/key"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
)

// people are who did something about comments, besides writing them.
var people = []string{"the-voter", "the-withdrawn-voter", "the-reporter", "the-moderator"}

// open returns a store of a new table in memory.
func open(t *testing.T) (*double.DB, *double.Client, *store.Store) {
	t.Helper()
	db := double.New(double.Options{})
	api := db.Client("test")
	s := store.New(api, "comments", store.Options{PlaceAge: -1})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	return db, api, s
}

// discussed imports a comment about which all people did something.
func discussed(t *testing.T, s *store.Store, id string) {
	t.Helper()
	testkit.Value(s.Import(t.Context(), []store.Comment{{ID: id, ProductID: "42", Rating: 1, Language: "en", CreatedAt: time.Unix(1, 0)}}))(t)
	for _, to := range []votes.Vote{votes.Helpful, votes.None} {
		testkit.Value(s.Vote(t.Context(), id, key.VoterOf("the-withdrawn-voter"), to, nil))(t)
	}
	for i := range 30 {
		testkit.Value(s.Vote(t.Context(), id, key.VoterOf(fmt.Sprint("the-voter", i)), votes.Helpful, nil))(t)
	}
	testkit.Value(s.Report(t.Context(), id, "the-reporter", "rude"))(t)
	for _, v := range []moderation.Verb{moderation.Reject, moderation.Approve} {
		testkit.Value(s.Decide(t.Context(), store.Ruling{ID: id, Verb: v, By: "the-moderator", Reason: "the-moderator's"}))(t)
	}
}

// named returns who is named in items of a comment.
func named(db *double.DB, id string) string {
	var found []string
	for _, it := range append(db.Items(), db.Indexed()...) {
		about, name := false, ""
		for _, v := range it {
			if v, ok := v.(*types.AttributeValueMemberS); ok {
				about = about || strings.HasSuffix(v.Value, "#"+id)
				for _, who := range people {
					if strings.Contains(v.Value, who) {
						name = who
					}
				}
			}
		}
		if about && name != "" && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return strings.Join(found, " ")
}

// Once a comment is deleted, nothing says who voted on it, reported it or decided about it; what is said of other
// comments stays, also of one that moves, and of one that comes again with the id.
func TestDeletedCommentsLeaveNoNames(t *testing.T) {
	db, api, s := open(t)
	everyone := "the-moderator the-reporter the-voter the-withdrawn-voter"
	for _, id := range []string{"deleted", "moved", "again"} {
		discussed(t, s, id)
		testkit.Equal(t, named(db, id), everyone, "%s", id)
	}
	testkit.Value(s.Delete(t.Context(), "deleted", nil))(t)
	testkit.Value(s.Delete(t.Context(), "again", nil))(t)
	comment := store.Comment{ID: "again", ProductID: "42", Rating: 1, Language: "en", CreatedAt: time.Unix(1, 0)}
	testkit.Value(s.Import(t.Context(), []store.Comment{comment}))(t)
	testkit.Value(s.Vote(t.Context(), "again", key.VoterOf("the-voter1"), votes.Helpful, nil))(t)
	comment.ID, comment.ProductID = "moved", "43"
	testkit.Value(s.Import(t.Context(), []store.Comment{comment}))(t)
	testkit.Value(storetest.ProjectOnce(t.Context(), api, s.Projector()))(t)
	testkit.Equal(t, named(db, "deleted"), "", "of the deleted comment")
	testkit.Equal(t, named(db, "moved"), everyone, "of the moved comment")
	testkit.Equal(t, named(db, "again"), "the-voter", "of the comment that came again")
	c := testkit.Value(s.Get(t.Context(), "again"))(t)
	cast := testkit.Value(s.VotesOf(t.Context(), key.VoterOf("the-voter1"), []string{"again"}))(t)
	testkit.Check(t, c.Up == 1 && cast[0].VoteOn(c.Ballot) == votes.Helpful, "%d votes up, %v", c.Up, cast)
}

// The same where the stream lost the records of the deletions: the rebuild that follows removes the names.
func TestRebuildsRemoveNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, api, s := open(t)
		discussed(t, s, "deleted")
		discussed(t, s, "stays")
		testkit.Value(storetest.ProjectOnce(t.Context(), api, s.Projector()))(t)
		testkit.Value(s.Delete(t.Context(), "deleted", nil))(t)
		time.Sleep(49 * time.Hour)
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = stream.New(api, s.Projector(), stream.Options{}).Run(ctx) })
		time.Sleep(10 * time.Minute)
		stop()
		running.Wait()
		testkit.Equal(t, named(db, "deleted"), "", "of the deleted comment")
		testkit.Equal(t, named(db, "stays"), "the-moderator the-reporter the-voter", "of the other")
	})
}
