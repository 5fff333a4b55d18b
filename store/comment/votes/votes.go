// Package votes counts visitors' votes on comments: helpful or unhelpful. All methods that call the
// store return an Unavailable error if the store does not answer.
//
//	vote item      VOTE#<comment id>, <voter>: the vote, the comment's ballot, a revision
//	comment item   up, down: the numbers of votes; ballot: which votes are counted
//
// A vote and the comment's new counts are written in one transaction, on the condition that the
// vote has not changed since it was read. So each voter counts once, in any number of tabs, and the
// counts are exact. The transaction changes nothing else of the comment, neither its version nor
// its indexes, and no other write depends on the votes: concurrent votes and edits do not disturb
// each other.
//
// A comment's ballot is created with its first vote and ends with the comment. If another comment
// gets the same id later, it has another ballot, and the votes on the first comment do not count.
package votes

import (
	"context"
	"encoding/hex"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Vote is a visitor's opinion of a comment.
type Vote int8

// The votes.
const (
	Unhelpful Vote = -1
	None      Vote = 0
	Helpful   Vote = 1
)

// Attributes of a vote's item, without its keys.
const (
	attrVote     = "vote" // N, 1 or -1; absent for a withdrawn vote
	attrRevision = "rev"  // N, changes with every write
)

// withdrawnFor is how long the item of a withdrawn vote is kept. It is far longer than any write is
// retried, since a late retry could otherwise restore the vote.
const withdrawnFor = 24 * time.Hour

// Votes reads and maintains the votes on comments of a table. It is safe for concurrent use.
type Votes struct{ t *table.Table }

// New returns the votes of a table.
func New(t *table.Table) *Votes { return &Votes{t} }

// Cast is a vote as stored. It counts if its ballot is the comment's ballot.
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
	if err := table.Read(it, table.Fields{attrVote: &vote, attrRevision: &c.revision}); err != nil {
		return c, err
	}
	c.Ballot = table.Text(it, item.AttrBallot)
	switch c.Vote = Vote(vote); c.Vote {
	case Unhelpful, None, Helpful:
		return c, nil
	}
	return c, table.Damaged(it, errs.Errorf(errs.Internal, "%d is not a vote", vote))
}

// Set sets a voter's vote on a comment and counts it; None withdraws the vote. If a product's
// attribute index depends on the counts, name returns the name of the write; then the vote is
// counted only if the comment still has the product and generation that Set has read. A vote that
// is already as requested writes nothing.
//
// Set returns the product of the last call of name, empty without one, and the comment's
// generation. It returns NotFound if there is no such published comment, or the error of guard. The
// call can be repeated.
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

// Erase removes a voter's vote on a comment in any state, including its item; the comment's counts
// follow. The call can be repeated.
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

// change is the loop of every write of votes. Given the comment, nil if there is none, and the vote
// on it, decide returns the write of the vote's item, nil for none. The comment's counts follow in
// the same transaction. change returns the results of Set.
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

// count returns the write that changes a comment's counts from the vote before to the vote after,
// on the condition that the comment still exists, and is still published if it was. If the write
// has a name, it also requires the comment's product and generation to be unchanged: a rebuild that
// has touched the comment would miss the name.
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

// newBallot returns a new unique name.
func (v *Votes) newBallot() string {
	b := make([]byte, 8)
	_, _ = v.t.Random().Read(b) // never fails
	return hex.EncodeToString(b)
}

// ItemVote returns the vote of a vote's item.
func ItemVote(it table.Item) (Vote, error) {
	cast, err := parse(it)
	return cast.Vote, err
}

// Votes reads a voter's votes on comments, in the order of the comments, strongly consistent: a
// read unit each. It returns an Unavailable error if some could not be read.
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
