package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Outcome is what an import did with a comment.
type Outcome uint8

const (
	Written     Outcome = iota + 1 // it was not there
	Replaced                       // one with its id was there, with other content
	Unchanged                      // it was there already, the same; nothing was written
	IsWithdrawn                    // one with its id was there, with other content, and is withdrawn; nothing was written
)

// importWriters is how many comments of an import are written at once.
const importWriters = 16

// importPatience is how long an import waits out throttling of a group.
const importPatience = 5 * time.Minute

// Import writes comments as they are, with their ids and times. They must be
// valid and their ids must differ. Comments with those ids are replaced, under
// the same conditions as an update, with a version above theirs: replacing says what
// of them stays. A comment that is withdrawn does not change. A new one that has an owner,
// which no file says, and says nothing of a purchase says what its owner's orders do.
// Importing the same comments again changes nothing.
//
// Every write is conditional on what was there when it was looked at. So a write
// that is repeated because its answer was lost neither undoes an edit nor brings
// back a comment that was deleted since.
//
// It returns one outcome a comment; after an error some may have been written
// and the call can be repeated. The error is BadUserInput if a product would
// have comments in too many languages, or Unavailable.
func (s *Store) Import(ctx context.Context, comments []Comment) ([]Outcome, error) {
	ctx, cancel := context.WithTimeout(table.Patiently(ctx), importPatience)
	defer cancel()
	ids := make([]string, len(comments))
	for i := range comments {
		ids[i] = comments[i].ID
	}
	existing, err := s.getItems(ctx, ids)
	if err != nil {
		return nil, err
	}
	var shown []*Comment
	for i := range comments {
		old := existing[key.Comment(ids[i])]
		if stateAfter(old, &comments[i]) == item.Published && table.Text(old, item.AttrLanguage) != comments[i].Language {
			shown = append(shown, &comments[i])
		}
	}
	if err := s.statistics.Admit(ctx, shown...); err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(comments))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(importWriters)
	for some := range slices.Chunk(byProduct(comments), table.MaxBatchGet) { // few, so that what is read is still known when they are written
		products := make([]string, len(some))
		for n, i := range some {
			products[n] = comments[i].ProductID
		}
		if err = s.attributes.Prefetch(groupCtx, products); err != nil {
			break
		}
		for _, i := range some {
			group.Go(func() (err error) {
				outcomes[i], err = s.importOne(groupCtx, existing[key.Comment(comments[i].ID)], comments[i])
				return err
			})
		}
	}
	if err := cmp.Or(group.Wait(), err); err != nil {
		return nil, err
	}
	return outcomes, nil
}

// byProduct returns the indexes of comments, those of a product together: what is written
// at the same time the projector sums.
func byProduct(comments []Comment) []int {
	order := make([]int, len(comments))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(comments[a].ProductID, comments[b].ProductID)
	})
	return order
}

// importOne writes a comment over the one that has its id, if there is one.
func (s *Store) importOne(ctx context.Context, old table.Item, comment Comment) (outcome Outcome, err error) {
	w := write{stored: old, imported: true}
	err = s.change(ctx, "replace the comment", &w, func() (bool, error) {
		now, err := s.settings.Recent(ctx)
		if err != nil {
			return false, err
		}
		want := item.Stored{Comment: comment, Generation: now.Generation}
		want.Version, want.State = 1, stateAfter(w.stored, &comment)
		if err := s.attributes.Stamp(ctx, &want); err != nil {
			return false, err
		}
		want.Ballot, want.Voted = "", "" // of the table that it comes from
		outcome, w.before, w.after = Written, nil, &want
		if w.stored == nil || item.IsDeleted(w.stored) {
			if want.VerifiedPurchase == nil { // otherwise the import has the word
				err = s.setVerifiedPurchase(ctx, &want)
			}
		} else {
			var before item.Stored
			if before, err = s.read(ctx, w.stored); err == nil {
				outcome, w.before = replace(&want, &before), &before
			}
		}
		return outcome != Unchanged && outcome != IsWithdrawn, err
	})
	return outcome, err
}

// replace makes a comment of an import what takes the place of the one that is there.
// Its content is that of the import: product, rating, language, time, words, what it says
// of a purchase, the helpful votes to start with, and attributes. Everything else stays: how moderation,
// visitors' votes and the shop's reply left it, and whose it is. It returns what that
// comes to.
func replace(c, before *item.Stored) Outcome {
	keepOwner(c, before)
	keepVerifiedPurchase(c, before)
	c.State, c.Reason, c.Reports, c.Reply = before.State, before.Reason, before.Reports, before.Reply
	c.Born = before.Born
	c.Up, c.Down, c.Ballot, c.Voted = before.Up, before.Down, before.Ballot, before.Voted
	same := *c // the format knows no time of edits
	same.Version, same.UpdatedAt = before.Version, before.UpdatedAt
	switch {
	case sameComment(&same, before):
		return Unchanged
	case before.State == item.Withdrawn:
		return IsWithdrawn
	}
	c.Version, c.Generation = before.Version+1, max(c.Generation, before.Generation)
	return Replaced
}

// stateAfter returns the state of a comment once it is imported over an item, nil for none:
// one that is there keeps its own.
func stateAfter(old table.Item, c *Comment) item.State {
	if old == nil || item.IsDeleted(old) {
		return c.State
	}
	state, _ := item.ParseState(table.Text(old, item.AttrState)) // absent of what is published
	return state
}

// keepOwner leaves a comment to whom it belongs: the format knows no owners. One
// that goes elsewhere is no longer the only one that its owner may write there.
func keepOwner(c, before *item.Stored) {
	if c.Owner == "" {
		c.Owner = before.Owner
	}
	c.Only = before.Only && c.Owner == before.Owner && c.ProductID == before.ProductID && c.CreatedAt.Equal(before.CreatedAt)
}
