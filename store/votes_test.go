package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/votes"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/storetest"
)

var alice, bob = key.VoterOf("alice"), key.VoterOf("bob")

func vote(t *testing.T, s *store.Store, id string, voter key.Voter, to votes.Vote) store.Comment {
	t.Helper()
	return testkit.Value(s.Vote(t.Context(), id, voter, to, nil))(t)
}

func wantVotes(t *testing.T, s *store.Store, id string, up, down int) *store.Comment {
	t.Helper()
	c, err := s.Get(t.Context(), id)
	testkit.Need(t, err == nil && c != nil && c.Up == up && c.Down == down, "%+v, %v, want %d up and %d down", c, err, up, down)
	return c
}

// voteOf is a person's vote as viewers see it.
func voteOf(t *testing.T, s *store.Store, id string, voter key.Voter) votes.Vote {
	t.Helper()
	casts, err := s.VotesOf(t.Context(), voter, []string{id})
	testkit.Must(t, err)
	c, err := s.Get(t.Context(), id)
	testkit.Need(t, err == nil && c != nil, "%v %v", c, err)
	return casts[0].VoteOn(c.Ballot)
}

func TestVotes(t *testing.T) {
	s, _ := newStore(t)
	three := 3
	c := saying("1", 1)
	c.Helpful = &three
	importAll(t, s, []store.Comment{c, saying("2", 2)})
	before := get(t, s, "1")
	for _, step := range []struct {
		voter    key.Voter
		to       votes.Vote
		up, down int
	}{
		{alice, votes.None, 0, 0}, {alice, votes.Helpful, 1, 0}, {alice, votes.Helpful, 1, 0}, {bob, votes.Unhelpful, 1, 1},
		{key.VisitorOf("alice"), votes.Helpful, 2, 1}, {alice, votes.Unhelpful, 1, 2}, {bob, votes.None, 1, 1}, {bob, votes.None, 1, 1},
		{bob, votes.Helpful, 2, 1}, {bob, votes.None, 1, 1}, {alice, votes.None, 1, 0},
	} {
		got := vote(t, s, "1", step.voter, step.to)
		testkit.Check(t, got.Up == step.up && got.Down == step.down && got.HelpfulCount() == 3+step.up, "%+v: %d up, %d down", step, got.Up, got.Down)
		testkit.Equal(t, voteOf(t, s, "1", step.voter), step.to, "%+v: the vote", step)
		testkit.Check(t, got.Version == before.Version && got.UpdatedAt.Equal(before.UpdatedAt) && got.Text == before.Text, "a vote changed the comment: %+v", got)
	}
	casts, err := s.VotesOf(t.Context(), key.VisitorOf("alice"), []string{"2", "1", "none", "1"})
	testkit.Check(t, err == nil && casts[0].Vote == 0 && casts[1].Vote == votes.Helpful && casts[2].Vote == 0 && casts[3].Vote == votes.Helpful, "%+v, %v", casts, err)
	for _, id := range []string{"none", "2"} {
		if id == "2" {
			remove(t, s, id)
		}
		_, err := s.Vote(t.Context(), id, alice, votes.Helpful, nil)
		testkit.Check(t, errs.CodeOf(err) == errs.NotFound, "a vote on %s: %v", id, err)
	}
	_, err = s.Vote(t.Context(), "", alice, votes.Helpful, nil)
	testkit.Check(t, errs.CodeOf(err) == errs.BadUserInput, "a vote on nothing: %v", err)
}

// Many voters at once, each of them in several tabs, and some change their minds.
func TestVotesAreCountedExactly(t *testing.T) {
	s, client := newStore(t)
	importAll(t, s, []store.Comment{saying("1", 1)})
	var voters []key.Voter
	var tabs sync.WaitGroup
	for v := range 4 {
		voter := key.VoterOf(fmt.Sprint("voter ", v))
		voters = append(voters, voter)
		for tab := range 3 {
			tabs.Go(func() {
				other := store.New(client, s.Table(), store.Options{})
				steps := []votes.Vote{votes.Helpful, votes.Helpful}
				if (v+tab)%2 == 1 {
					steps = []votes.Vote{votes.Unhelpful, votes.Helpful, votes.None, votes.Unhelpful}
				}
				for len(steps) > 0 {
					_, err := other.Vote(t.Context(), "1", voter, steps[0], nil)
					if err == nil {
						steps = steps[1:]
					} else if errs.CodeOf(err) != errs.Unavailable { // then people try again
						t.Error(err)
						return
					}
				}
			})
		}
	}
	testkit.Value(s.Update(t.Context(), store.Change{ID: "1", Rating: aws.Int(5)}))(t)
	tabs.Wait()
	count := map[votes.Vote]int{}
	for _, voter := range voters {
		count[voteOf(t, s, "1", voter)]++
	}
	c := wantVotes(t, s, "1", count[votes.Helpful], count[votes.Unhelpful])
	testkit.Check(t, count[votes.None] <= 0 && c.Rating == 5 && c.Version == 2, "%v, %+v", count, c)
}

// A comment that was deleted and comes again begins without votes, and those on the
// former do not count against it.
func TestVotesEndWithTheirComment(t *testing.T) {
	s, _ := newStore(t)
	c := saying("1", 1)
	importAll(t, s, []store.Comment{c})
	vote(t, s, "1", alice, votes.Helpful)
	vote(t, s, "1", bob, votes.Helpful)
	remove(t, s, "1")
	importAll(t, s, []store.Comment{c})
	wantVotes(t, s, "1", 0, 0)
	testkit.Equal(t, voteOf(t, s, "1", alice), votes.None, "Alice's vote")
	vote(t, s, "1", alice, votes.None)
	wantVotes(t, s, "1", 0, 0)
	vote(t, s, "1", bob, votes.Unhelpful)
	wantVotes(t, s, "1", 0, 1)
	testkit.Equal(t, voteOf(t, s, "1", alice), votes.None, "when Bob votes Alice's vote")
}

// A vote comes between the first read of a comment and what is done with it: neither
// is lost, and what is done need not be tried again.
func TestAVoteDuringOtherWrites(t *testing.T) {
	for name, do := range map[string]func(*store.Store, *store.Comment) error{
		"an update keeps votes": func(s *store.Store, c *store.Comment) error {
			_, err := s.Update(t.Context(), store.Change{ID: c.ID, Title: aws.String("new")})
			return err
		},
		"an import keeps votes": func(s *store.Store, c *store.Comment) error {
			c.Title, c.Up, c.Ballot = "new", 99, "of elsewhere"
			done, err := s.Import(t.Context(), []store.Comment{*c})
			if err == nil {
				testkit.Equal(t, done[0], store.Replaced, "the import")
			}
			return err
		},
		"a rebuild keeps votes": func(s *store.Store, c *store.Comment) error {
			return s.Projector().Touch(t.Context(), key.Comment(c.ID), 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, other, c := interruptible(t, func(s *store.Store) error { return testkit.Err(s.Vote(t.Context(), "1", bob, votes.Unhelpful, nil)) })
			vote(t, s, "1", alice, votes.Helpful)
			if name == "a rebuild keeps votes" {
				vote(t, s, "1", bob, votes.Unhelpful)
			}
			testkit.Must(t, do(other, &c))
			got := wantVotes(t, s, "1", 1, 1)
			testkit.Check(t, (name != "an update keeps votes" && name != "an import keeps votes") || got.Title == "new", "%+v", got)
			testkit.Equal(t, voteOf(t, s, "1", alice), votes.Helpful, "Alice's vote")
			if vote(t, s, "1", alice, votes.None); voteOf(t, s, "1", bob) != votes.Unhelpful {
				t.Error("Bob's vote is gone")
			}
			wantVotes(t, s, "1", 0, 1)
		})
	}
}

// Votes that a comment brings along from another table count where it is new, and those
// that come here next to them; one that is there has its own.
func TestVotesComeAlongWithAnImport(t *testing.T) {
	s, _ := newStore(t)
	c := saying("1", 1)
	c.Up, c.Down = 5, 2
	importAll(t, s, []store.Comment{c})
	wantVotes(t, s, "1", 5, 2)
	vote(t, s, "1", alice, votes.Helpful)
	wantVotes(t, s, "1", 6, 2)
	done, err := s.Import(t.Context(), []store.Comment{c})
	testkit.Check(t, err == nil && done[0] == store.Unchanged, "again: %v, %v", done, err)
	c.Title = "new"
	importAll(t, s, []store.Comment{c})
	wantVotes(t, s, "1", 6, 2)
	vote(t, s, "1", alice, votes.None)
	wantVotes(t, s, "1", 5, 2)
}

func TestAVoteWhoseAnswerIsLostCountsOnce(t *testing.T) {
	for name, between := range map[string]func(*store.Store){
		"nothing happens before the retry": func(*store.Store) {}, "another person votes": func(s *store.Store) { vote(t, s, "1", bob, votes.Helpful) },
		"the voter changes the vote in another tab": func(s *store.Store) { vote(t, s, "1", alice, votes.Unhelpful) },
		"the comment is edited":                     func(s *store.Store) { _, _ = s.Update(t.Context(), store.Change{ID: "1", Title: aws.String("x")}) },
	} {
		t.Run(name, func(t *testing.T) {
			s, client := newStore(t)
			importAll(t, s, []store.Comment{saying("1", 1)})
			vote(t, s, "1", bob, votes.Helpful)
			lost := false
			denied := denying(client, "ConditionalCheckFailed", func() bool {
				if lost {
					return false
				}
				lost = true
				between(s)
				return true
			})
			other := store.New(denied, s.Table(), store.Options{})
			vote(t, other, "1", alice, votes.Helpful)
			wantVotes(t, s, "1", 2, 0)
		})
	}
}

// A withdrawn vote stays withdrawn when an older write arrives late.
func TestALateVoteIsRefused(t *testing.T) {
	s, client := newStore(t)
	importAll(t, s, []store.Comment{saying("1", 1)})
	var first dynamodb.TransactWriteItemsInput
	keeping := storetest.Before(client, func(_ context.Context, in *dynamodb.TransactWriteItemsInput) {
		if first.TransactItems == nil {
			first = *in
		}
	})
	vote(t, store.New(keeping, s.Table(), store.Options{}), "1", alice, votes.Helpful)
	vote(t, s, "1", alice, votes.None)
	first.ClientRequestToken = nil
	_, err := client.TransactWriteItems(t.Context(), &first)
	var canceled *types.TransactionCanceledException
	testkit.Check(t, errors.As(err, &canceled), "it took effect again: %v", err)
	wantVotes(t, s, "1", 0, 0)
	it := first.TransactItems[1].Put.Item
	testkit.Check(t, strings.HasPrefix(partitionOf(it), "VOTE#"), "%v is no vote", it)
}

// A comment is moved to another product while we vote on it: the list there has our vote
// if it came after, and in any case what others write from then on.
func TestAVoteOnACommentThatIsMoved(t *testing.T) {
	onTwoProducts(t, func(t *testing.T, ours, others *store.Store, api *storetest.Calls, project func()) {
		for i, name := range []string{"after it counts", "before it counts"} {
			after := i == 0
			comment := func(id, product, title string) store.Comment {
				c := saying(id, 1)
				c.ProductID, c.Title = product, title
				return c
			}
			importAll(t, others, []store.Comment{comment(name, "42", "old"), comment(name+" other", "d", "other")})
			project()
			time.Sleep(time.Second)
			moved := sync.OnceFunc(func() { importAll(t, others, []store.Comment{comment(name, "d", "moved")}) })
			if after {
				api.Do = afterTransactions(api.API, moved).Do
			} else {
				api.Do = beforeTransactions(api.API, moved).Do
			}
			vote(t, ours, name, alice, votes.Helpful)
			time.Sleep(time.Second) // indexes know of the move, columns do not
			if got := helpfulOf(t, ours, "d"); !after && got != "moved other " {
				t.Errorf("moved %s: before that is projected the list is %s", name, got)
			}
			project()
			rename(t, others, name, "newest")
			project()
			testkit.Equal(t, aMinuteLater(t, ours, "d"), "newest other ", "moved %s: a minute later the list is ", name)
			for _, id := range []string{name, name + " other"} {
				remove(t, others, id)
			}
			project()
			time.Sleep(time.Minute)
		}
	})
}

// A vote shows at once in a list by votes that is kept, and leaves lists by time kept.
func TestAVoteShowsInKeptPages(t *testing.T) {
	onTwoProducts(t, func(t *testing.T, _, _ *store.Store, api *storetest.Calls, project func()) {
		s := store.New(api, "comments", store.Options{PlaceAge: -1, MetaAge: time.Nanosecond, PageAge: time.Hour})
		older := mustCreate(t, s, store.NewComment{ProductID: "42", Rating: 3, Language: "en", Title: "older"})
		mustCreate(t, s, store.NewComment{ProductID: "42", Rating: 3, Language: "en", Title: "newer"})
		project()
		time.Sleep(time.Minute)
		byTime := func() { pageOf(t, s, plan.Filter{ProductID: "42"}, store.Window{Limit: 10}) }
		byTime()
		queries := 0
		for _, c := range []struct {
			to   votes.Vote
			want string
		}{{votes.None, "newer older "}, {votes.Helpful, "older newer "}, {votes.None, "newer older "}} {
			vote(t, s, older.ID, alice, c.to)
			api.Do = func(ctx context.Context, in any, call storetest.Call) error {
				if _, is := in.(*dynamodb.QueryInput); is {
					queries++
				}
				_, err := call(ctx)
				return err
			}
			for range 2 {
				testkit.Equal(t, helpfulOf(t, s, "42"), c.want, "after the vote %d", c.to)
			}
			read := queries
			if byTime(); queries != read {
				t.Error("a vote lets lists by time be read again")
			}
		}
		testkit.Check(t, queries != 0, "no query was counted")
	})
}
