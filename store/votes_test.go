package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/votes"
)

var alice, bob = key.VoterOf("alice"), key.VoterOf("bob")

func vote(t *testing.T, s *store.Store, id string, voter key.Voter, to votes.Vote) store.Comment {
	t.Helper()
	c, err := s.Vote(t.Context(), id, voter, to)
	must(t, err)
	return c
}

func wantVotes(t *testing.T, s *store.Store, id string, up, down int) *store.Comment {
	t.Helper()
	c, err := s.Get(t.Context(), id)
	if err != nil || c == nil || c.Up != up || c.Down != down {
		t.Fatalf("%+v, %v, want %d up and %d down", c, err, up, down)
	}
	return c
}

// voteOf is somebody's vote as viewers see it.
func voteOf(t *testing.T, s *store.Store, id string, voter key.Voter) votes.Vote {
	t.Helper()
	casts, err := s.VotesOf(t.Context(), voter, []string{id})
	must(t, err)
	c, err := s.Get(t.Context(), id)
	if err != nil || c == nil {
		t.Fatal(c, err)
	}
	return casts[0].On(c.Ballot)
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
		if got.Up != step.up || got.Down != step.down || got.HelpfulCount() != 3+step.up {
			t.Errorf("%+v: %d up, %d down", step, got.Up, got.Down)
		}
		if v := voteOf(t, s, "1", step.voter); v != step.to {
			t.Errorf("%+v: the vote is %d", step, v)
		}
		if got.Version != before.Version || !got.UpdatedAt.Equal(before.UpdatedAt) || got.Text != before.Text {
			t.Errorf("a vote changed the comment: %+v", got)
		}
	}
	casts, err := s.VotesOf(t.Context(), key.VisitorOf("alice"), []string{"2", "1", "none", "1"})
	if err != nil || casts[0].Vote != 0 || casts[1].Vote != votes.Helpful || casts[2].Vote != 0 || casts[3].Vote != votes.Helpful {
		t.Errorf("%+v, %v", casts, err)
	}
	for _, id := range []string{"none", "2"} {
		if id == "2" {
			remove(t, s, id)
		}
		if _, err := s.Vote(t.Context(), id, alice, votes.Helpful); errs.CodeOf(err) != errs.NotFound {
			t.Errorf("a vote on %s: %v", id, err)
		}
	}
	if _, err := s.Vote(t.Context(), "", alice, votes.Helpful); errs.CodeOf(err) != errs.BadUserInput {
		t.Errorf("a vote on nothing: %v", err)
	}
}

// Many voters at once, each of them in several tabs, and some change their minds.
func TestVotesAreCountedExactly(t *testing.T) {
	s, client := newStore(t)
	importAll(t, s, []store.Comment{saying("1", 1)})
	const voters, tabs = 4, 3
	var all sync.WaitGroup
	for v := range voters {
		voter := key.VoterOf(fmt.Sprint("voter ", v))
		for tab := range tabs {
			all.Go(func() {
				other := store.New(client, s.Table(), store.Options{})
				steps := []votes.Vote{votes.Helpful, votes.Helpful}
				if (v+tab)%2 == 1 {
					steps = []votes.Vote{votes.Unhelpful, votes.Helpful, votes.None, votes.Unhelpful}
				}
				for _, to := range steps {
					for { // as people do, who find that it did not work
						_, err := other.Vote(t.Context(), "1", voter, to)
						if err == nil {
							break
						}
						if errs.CodeOf(err) != errs.Unavailable {
							t.Error(err)
							return
						}
					}
				}
			})
		}
	}
	rating := 5
	if _, err := s.Update(t.Context(), store.Change{ID: "1", Rating: &rating}); err != nil {
		t.Error(err)
	}
	all.Wait()
	up, down := 0, 0
	for v := range voters {
		switch voteOf(t, s, "1", key.VoterOf(fmt.Sprint("voter ", v))) {
		case votes.Helpful:
			up++
		case votes.Unhelpful:
			down++
		}
	}
	if c := wantVotes(t, s, "1", up, down); up+down != voters || c.Rating != 5 || c.Version != 2 {
		t.Errorf("%+v", c)
	}
}

// A vote comes between the first read of a comment and what is done with it: neither
// is lost, and what is done need not be tried again.
func TestAVoteDuringOtherWrites(t *testing.T) {
	for name, do := range map[string]func(*store.Store, *store.Comment) error{
		"update": func(s *store.Store, c *store.Comment) error {
			_, err := s.Update(t.Context(), store.Change{ID: c.ID, Title: aws.String("new")})
			return err
		},
		"texts": func(s *store.Store, _ *store.Comment) error {
			n, err := s.PackTexts(t.Context(), store.ScanOptions{})
			if n != 1 {
				t.Errorf("packed %d", n)
			}
			return err
		},
		"import": func(s *store.Store, c *store.Comment) error {
			c.Title, c.Up, c.Ballot = "new", 99, "of elsewhere"
			done, err := s.Import(t.Context(), []store.Comment{*c})
			if err == nil && done[0] != store.Replaced {
				t.Errorf("it was %d", done[0])
			}
			return err
		},
		"rebuild": func(s *store.Store, c *store.Comment) error {
			return s.Projector().Touch(t.Context(), key.Comment(c.ID), 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, other, c := interruptible(t, func(s *store.Store) { vote(t, s, "1", bob, votes.Unhelpful) })
			vote(t, s, "1", alice, votes.Helpful)
			if name == "rebuild" {
				vote(t, s, "1", bob, votes.Unhelpful)
			}
			must(t, do(other, &c))
			got := wantVotes(t, s, "1", 1, 1)
			if (name == "update" || name == "import") && got.Title != "new" {
				t.Errorf("%+v", got)
			}
			if v := voteOf(t, s, "1", alice); v != votes.Helpful {
				t.Errorf("Alice's vote is %d", v)
			}
			if vote(t, s, "1", alice, votes.None); voteOf(t, s, "1", bob) != votes.Unhelpful {
				t.Error("Bob's vote is gone")
			}
			wantVotes(t, s, "1", 0, 1)
		})
	}
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
	if v := voteOf(t, s, "1", alice); v != votes.None {
		t.Errorf("Alice's vote is %d", v)
	}
	if got := vote(t, s, "1", alice, votes.None); got.Up != 0 {
		t.Errorf("%+v", got)
	}
	vote(t, s, "1", bob, votes.Unhelpful)
	wantVotes(t, s, "1", 0, 1)
	if v := voteOf(t, s, "1", alice); v != votes.None {
		t.Errorf("Alice's vote is %d", v)
	}
}

// Votes that a comment brings along from another table count where it is new, and those
// that come here beside them; one that is there has its own.
func TestVotesComeAlongWithAnImport(t *testing.T) {
	s, _ := newStore(t)
	c := saying("1", 1)
	c.Up, c.Down = 5, 2
	importAll(t, s, []store.Comment{c})
	wantVotes(t, s, "1", 5, 2)
	vote(t, s, "1", alice, votes.Helpful)
	wantVotes(t, s, "1", 6, 2)
	done, err := s.Import(t.Context(), []store.Comment{c})
	if err != nil || done[0] != store.Unchanged {
		t.Errorf("again: %v, %v", done, err)
	}
	c.Title = "new"
	importAll(t, s, []store.Comment{c})
	wantVotes(t, s, "1", 6, 2)
	vote(t, s, "1", alice, votes.None)
	wantVotes(t, s, "1", 5, 2)
}

// lostVote loses the answer of the first transaction, and something happens before
// anybody knows.
type lostVote struct {
	store.API
	once    sync.Once
	between func()
}

func (l *lostVote) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	var err error
	l.once.Do(func() {
		if _, err = l.API.TransactWriteItems(ctx, in, o...); err == nil {
			l.between()
			err = &types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{{Code: aws.String("ConditionalCheckFailed")}}}
		}
	})
	if err != nil {
		return nil, err
	}
	return l.API.TransactWriteItems(ctx, in, o...)
}

func TestAVoteWhoseAnswerIsLostCountsOnce(t *testing.T) {
	for name, between := range map[string]func(*store.Store){
		"nothing": func(*store.Store) {}, "another's vote": func(s *store.Store) { vote(t, s, "1", bob, votes.Helpful) },
		"the voter's other tab": func(s *store.Store) { vote(t, s, "1", alice, votes.Unhelpful) },
		"an edit":               func(s *store.Store) { _, _ = s.Update(t.Context(), store.Change{ID: "1", Title: aws.String("x")}) },
	} {
		t.Run(name, func(t *testing.T) {
			s, client := newStore(t)
			importAll(t, s, []store.Comment{saying("1", 1)})
			vote(t, s, "1", bob, votes.Helpful)
			other := store.New(&lostVote{API: client, between: func() { between(s) }}, s.Table(), store.Options{})
			vote(t, other, "1", alice, votes.Helpful)
			wantVotes(t, s, "1", 2, 0)
		})
	}
}

// A withdrawn vote stays withdrawn when an older write arrives late.
func TestALateVoteIsRefused(t *testing.T) {
	s, client := newStore(t)
	importAll(t, s, []store.Comment{saying("1", 1)})
	kept := &keeping{API: client}
	vote(t, store.New(kept, s.Table(), store.Options{}), "1", alice, votes.Helpful)
	vote(t, s, "1", alice, votes.None)
	kept.first.ClientRequestToken = nil
	_, err := client.TransactWriteItems(t.Context(), kept.first)
	var canceled *types.TransactionCanceledException
	if !errors.As(err, &canceled) {
		t.Errorf("it took effect again: %v", err)
	}
	wantVotes(t, s, "1", 0, 0)
	if it := kept.first.TransactItems[1].Put.Item; !strings.HasPrefix(it["PK"].(*types.AttributeValueMemberS).Value, "VOTE#") {
		t.Errorf("%v is no vote", it)
	}
}

// keeping keeps the first transaction.
type keeping struct {
	store.API
	first *dynamodb.TransactWriteItemsInput
}

func (k *keeping) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	if k.first == nil {
		first := *in
		k.first = &first
	}
	return k.API.TransactWriteItems(ctx, in, o...)
}
