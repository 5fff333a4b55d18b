// Package votes counts what visitors think of comments: helpful, or not.
//
//	vote item      VOTE#<comment id>, <voter>: the vote, the comment's ballot, a revision
//	comment item   up, down: how many there are; ballot: which votes are counted
//
// A vote and the count that it changes are written in one transaction, on the
// condition that the vote has not changed since it was read: so each voter counts once, in however
// many tabs they click, and the counts are exact. Nothing else of the comment
// changes, neither its version nor its indexes, and nothing else rests on its votes:
// votes and edits at once do not disturb each other.
//
// A comment's ballot begins with its first vote and ends with the comment. If one with
// its id comes again, the votes on the former are on another ballot, and count no more.
package votes

import (
	"context"
	"encoding/hex"
	"time"

	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Vote is what a visitor thinks of a comment.
type Vote int8

// The votes.
const (
	Unhelpful Vote = -1
	None      Vote = 0
	Helpful   Vote = 1
)

// Attributes of a vote's item, without its keys.
const (
	attrVote     = "vote" // N, 1 or -1; absent for a vote that was withdrawn
	attrRevision = "rev"  // N, another one with every change
)

// withdrawnFor is how long a vote that was withdrawn leaves its item behind: far
// longer than any write is repeated, which could otherwise bring the vote back.
const withdrawnFor = 24 * time.Hour

// Votes reads and maintains the votes on comments of a table. It is safe for concurrent use.
type Votes struct{ t *table.Table }

// New returns the votes of a table.
func New(t *table.Table) *Votes { return &Votes{t} }

// Cast is a vote that was cast on a ballot: it counts if that is the comment's.
type Cast struct {
	Vote
	Ballot   string
	revision int // 0 if there is no item
}

// VoteOn returns the vote on a ballot: None if it was cast on another one.
func (c Cast) VoteOn(ballot string) Vote {
	if c.Ballot != ballot {
		return None
	}
	return c.Vote
}

func primary(commentID string, voter key.Voter) table.Item {
	return table.KeyOf(key.Votes(commentID), string(voter))
}

func parse(it table.Item) (c Cast, err error) {
	vote := 0
	if err := table.Numbers(it, map[string]*int{attrVote: &vote, attrRevision: &c.revision}); err != nil {
		return c, err
	}
	c.Ballot = table.Text(it, item.AttrBallot)
	switch c.Vote = Vote(vote); c.Vote {
	case Unhelpful, None, Helpful:
		return c, nil
	}
	return c, table.Damaged(it, errs.Errorf(errs.Internal, "%d is not a vote", vote))
}

// Set makes a voter's vote on a comment the one that is given, None to withdraw it,
// and counts it. name returns the name of a write to a product, for a comment whose
// columns follow it; the vote is counted only while the comment is of that product, and
// of the generation that it was read as. A vote that was already as wanted writes nothing.
// Set returns the product that the last name was for, empty if it needed none, with the
// generation, NotFound if there is no such comment, the error of guard, and Unavailable if the
// store does not answer; to call it again is safe.
func (v *Votes) Set(ctx context.Context, commentID string, voter key.Voter, to Vote, guard func(*item.Stored) error,
	name func(product string) item.Writes) (product string, generation int, err error) {
	return v.change(ctx, "count the vote", commentID, voter, to, name, func(c *item.Stored, cast Cast) (w *table.Write, err error) {
		if c == nil || c.State != item.Published {
			return nil, item.NotFound(commentID)
		}
		if err := guard(c); err != nil {
			return nil, err
		}
		if cast.VoteOn(c.Ballot) == to {
			return nil, nil
		}
		it := primary(commentID, voter)
		it[item.AttrBallot] = table.S(c.Ballot)
		it[attrRevision] = table.N(v.t.Random().NextRevision(cast.revision))
		if to == None {
			it[item.AttrExpires] = table.N(int(v.t.Now().Add(withdrawnFor).Unix()))
		} else {
			it[attrVote] = table.N(int(to))
		}
		return &table.Write{Put: it}, nil
	})
}

// Erase removes a voter's vote on a comment, of whatever state, with everything that
// says that there was one; the comment's counts follow. It returns an Unavailable error
// if the store does not answer; to call it again is safe.
func (v *Votes) Erase(ctx context.Context, commentID string, voter key.Voter,
	name func(product string) item.Writes) error {
	_, _, err := v.change(ctx, "erase the vote", commentID, voter, None, name, func(_ *item.Stored, cast Cast) (*table.Write, error) {
		if cast.revision == 0 {
			return nil, nil
		}
		return &table.Write{Key: primary(commentID, voter), Delete: true}, nil
	})
	return err
}

// change is the loop of what is written to votes: given the comment, nil if there is none,
// and the vote on it, decide says what becomes of the vote's item, nil for nothing. The
// comment's counts follow in the same transaction. It returns what Set does.
func (v *Votes) change(ctx context.Context, what, commentID string, voter key.Voter, to Vote,
	name func(product string) item.Writes, decide func(*item.Stored, Cast) (*table.Write, error)) (product string,
	generation int, err error) {
	err = v.t.Race(ctx, what, func() error {
		comment, cast, err := v.read(ctx, commentID, voter)
		if err != nil {
			return err
		}
		var c *item.Stored
		before := None
		if comment != nil {
			read, err := item.Read(comment, "")
			if err != nil {
				return err
			}
			if c = &read; c.Ballot == "" {
				c.Ballot = v.newBallot()
			}
			before = cast.VoteOn(c.Ballot)
		}
		vote, err := decide(c, cast)
		if errs.CodeOf(err) == errs.NotFound {
			table.Unseen(ctx, comment)
		}
		if err != nil || vote == nil {
			return err
		}
		var writes []table.Write
		if before != to {
			us := item.Writes("")
			if c.State == item.Published && c.Defined != "" {
				product, generation = c.ProductID, c.Generation
				us = name(product)
			}
			writes = append(writes, count(comment, c.Ballot, us, before, to))
		}
		return v.t.Transact(ctx, what, append(writes, vote.IfRevision(attrRevision, cast.revision))...)
	})
	return product, generation, err
}

// read reads the item of a comment, nil if there is none, and a voter's vote on it.
func (v *Votes) read(ctx context.Context, commentID string,
	voter key.Voter) (comment table.Item, cast Cast, err error) {
	err = v.t.GetMany(ctx, []table.Item{table.Key(key.Comment(commentID)), primary(commentID, voter)}, true, func(it table.Item) (err error) {
		if _, isComment := key.CommentID(table.Text(it, key.PK)); !isComment {
			cast, err = parse(it)
		} else if !item.IsDeleted(it) {
			comment = it
		}
		return err
	})
	return comment, cast, err
}

// count returns the change of a comment that takes a vote on a ballot from one to another,
// on the condition that the comment is still there, and published if it was. One
// that is named is counted only while the comment is of its product, and no rebuild has
// touched it, which would leave the name out of what it counts.
func count(comment table.Item, ballot string, us item.Writes, before, to Vote) table.Write {
	w := table.Write{
		Key: table.Primary(comment), Update: "SET #ballot = :ballot", If: item.OnlyPublished,
		Names: map[string]string{"#ballot": item.AttrBallot}, Values: table.Item{":ballot": table.S(ballot)},
	}
	if item.IsHidden(comment) {
		w.If = item.NotDeleted
	}
	restsOn := []string{item.AttrBallot}
	if us != "" {
		w.Update += ", #voted = :voted"
		w.Names["#voted"], w.Values[":voted"] = item.AttrVoted, table.B([]byte(us))
		restsOn = append(restsOn, key.GSI4PK, item.AttrGeneration)
	}
	add := " ADD "
	for _, side := range []struct {
		attribute string
		vote      Vote
	}{{item.AttrUp, Helpful}, {item.AttrDown, Unhelpful}} {
		if n := oneIf(to, side.vote) - oneIf(before, side.vote); n != 0 {
			w.Update += add + "#" + side.attribute + " :" + side.attribute
			w.Names["#"+side.attribute], w.Values[":"+side.attribute] = side.attribute, table.N(n)
			add = ", "
		}
	}
	return w.Unchanged(comment, restsOn...)
}

func oneIf(vote, side Vote) int {
	if vote == side {
		return 1
	}
	return 0
}

// newBallot returns a name that no other ballot has.
func (v *Votes) newBallot() string {
	b := make([]byte, 8)
	_, _ = v.t.Random().Read(b) // never fails
	return hex.EncodeToString(b)
}

// ItemVote returns the vote that an item of one says.
func ItemVote(it table.Item) (Vote, error) {
	cast, err := parse(it)
	return cast.Vote, err
}

// Votes reads a voter's votes on comments, in their order, strongly consistent: a read
// unit each. It returns an Unavailable error if not all could be read.
func (v *Votes) Votes(ctx context.Context, voter key.Voter, commentIDs []string) ([]Cast, error) {
	keys, places := make([]table.Item, 0, len(commentIDs)), make(map[string][]int, len(commentIDs))
	for i, id := range commentIDs {
		pk := key.Votes(id)
		if places[pk] == nil {
			keys = append(keys, primary(id, voter))
		}
		places[pk] = append(places[pk], i)
	}
	out := make([]Cast, len(commentIDs))
	err := v.t.GetMany(ctx, keys, true, func(it table.Item) error {
		cast, err := parse(it)
		for _, i := range places[table.Text(it, key.PK)] {
			out[i] = cast
		}
		return err
	})
	return out, err
}
