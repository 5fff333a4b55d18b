package store

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Outcome is the effect of an import on a comment.
type Outcome uint8

const (
	Written     Outcome = iota + 1 // it is new
	Replaced                       // it replaced a comment with other content
	Unchanged                      // the table has the same comment; nothing was written
	IsWithdrawn                    // the table's comment with its id is withdrawn; nothing was written
)

// importWriters is how many orders of an import, or comments in DynamoDB, are written at once.
const importWriters = 16

// importTogether is how many comments of an import an engine in this process writes at once, after
// all of them were compressed: it writes what it gets together in one transaction. As many more are
// compressed at the same time. In DynamoDB no comment waits for others between its reads and its
// write, because purchases and settings may change then.
const importTogether = 64

// importPatience bounds how long an import retries one batch of comments while DynamoDB
// throttles.
const importPatience = 5 * time.Minute

// Import writes comments with their own ids and times. They must be valid and their ids must
// differ. An existing comment with one of the ids is replaced by a conditional write, as in
// Update, and gets a higher version; see replace for the fields of the existing comment that stay. Import
// does not change withdrawn comments. A new comment with an owner and without VerifiedPurchase
// gets it from the owner's orders. Importing the same comments again changes nothing.
//
// Every write is conditional on the item that was read. So a retried write neither undoes a
// later edit nor restores a deleted comment.
//
// Import returns the outcome of each comment. After an error some comments may have been
// written, and the call can be repeated. The error is BadUserInput if a product would have
// comments in too many languages, or Unavailable.
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
		if stateAfter(old, &comments[i]) == item.Published &&
			table.Text(old, item.AttrLanguage) != comments[i].Language {
			shown = append(shown, &comments[i])
		}
	}
	if err := s.statistics.Admit(ctx, shown...); err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(comments))
	group, groupCtx := errgroup.WithContext(ctx)
	inProcess, together, atOnce := s.t.InProcess(), table.MaxBatchGet, importWriters
	if inProcess {
		together, atOnce = importTogether, 2*importTogether
	}
	group.SetLimit(atOnce)
	// small chunks, so that the definitions are still cached when the comments are written
	for some := range slices.Chunk(byProduct(comments), together) {
		products := make([]string, len(some))
		for n, i := range some {
			products[n] = comments[i].ProductID
		}
		if err = s.attributes.Prefetch(groupCtx, products); err != nil {
			break
		}
		var preparing sync.WaitGroup
		if inProcess {
			preparing.Add(len(some))
		}
		for _, i := range some {
			group.Go(func() (err error) {
				prepared := func() {}
				if inProcess {
					prepared = sync.OnceFunc(preparing.Done)
					defer prepared()
				}
				outcomes[i], err = s.importOne(groupCtx, existing[key.Comment(comments[i].ID)], comments[i], func() { prepared(); preparing.Wait() })
				return err
			})
		}
	}
	if err := cmp.Or(group.Wait(), err); err != nil {
		return nil, err
	}
	return outcomes, nil
}

// byProduct returns the indexes of comments grouped by product: the projector adds up changes
// of one product that are written at the same time.
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

// importOne writes a comment over the existing one with its id, if any, after prepared has returned.
func (s *Store) importOne(ctx context.Context, old table.Item, comment Comment, prepared func()) (outcome Outcome, err error) {
	w := write{stored: old, imported: true, prepared: prepared}
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
		want.Ballot, want.Voted = "", "" // ballots belong to the table of the export
		if want.State == item.Pending {
			want.WaitsSince = int(s.t.Now().Unix())
		}
		outcome, w.before, w.after = Written, nil, &want
		if w.stored == nil || item.IsDeleted(w.stored) {
			if want.VerifiedPurchase == nil { // otherwise the value of the import is kept
				err = s.setVerifiedPurchase(ctx, &want, false)
			}
			if err == nil {
				err = s.importPhotos(ctx, &w, nil)
			}
		} else {
			var before item.Stored
			if before, err = s.read(w.stored); err == nil {
				err = s.importPhotos(ctx, &w, before.Photos)
				outcome, w.before = replace(&want, &before), &before
			}
		}
		return outcome != Unchanged && outcome != IsWithdrawn, err
	})
	return outcome, err
}

// importPhotos sets the photos of an imported comment: the ones that the import names and has
// uploaded, or the ones that the comment has.
func (s *Store) importPhotos(ctx context.Context, w *write, has []Photo) (err error) {
	w.extra = extra{}
	if w.after.Photos == nil {
		w.after.Photos = has
		return nil
	}
	w.after.Photos, w.extra.writes, err = s.photos.Take(ctx, "photos", w.after.Photos, has, "", w.after.ID)
	return err
}

// replace completes an imported comment c with what it keeps of the existing comment, and
// returns the outcome. The import sets product, rating, language, creation time, author, title,
// text, verified purchase, incentive, experience, initial helpful votes and attributes. The comment keeps its
// moderation state, visitors' votes, reply and owner, and its photos unless the import names some.
func replace(c, before *item.Stored) Outcome {
	keepOwner(c, before)
	keepVerifiedPurchase(c, before)
	c.State, c.Why, c.Reports, c.Notices, c.Reply = before.State, before.Why, before.Reports, before.Notices, before.Reply
	c.Born, c.WaitsSince, c.Decided = before.Born, before.WaitsSince, before.Decided
	c.Up, c.Down, c.Ballot, c.Voted = before.Up, before.Down, before.Ballot, before.Voted
	same := *c // the interchange format has no time of edits
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

// stateAfter returns the moderation state of a comment after its import. An existing comment
// keeps its state.
func stateAfter(old table.Item, c *Comment) item.State {
	if old == nil || item.IsDeleted(old) {
		return c.State
	}
	state, _ := item.ParseState(table.Text(old, item.AttrState)) // published comments have no such attribute
	return state
}

// keepOwner keeps the owner of the existing comment, since the interchange format has no
// owners. If the import moves the comment to another product or time, the comment is no longer
// the only one that its owner may write there.
func keepOwner(c, before *item.Stored) {
	if c.Owner == "" {
		c.Owner = before.Owner
	}
	c.Only = before.Only && c.Owner == before.Owner && c.ProductID == before.ProductID &&
		c.CreatedAt.Equal(before.CreatedAt)
}
