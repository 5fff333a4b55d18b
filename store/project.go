package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
	"product-comments/store/stats"
)

// Record is a change of an item, as the table's stream tells it.
type Record struct {
	Sequence string    // sequence number, decimal; grows within a shard
	Created  time.Time // about when the change was made; engines round it
	// Before and After are the item's images, nil where there was none.
	Before, After map[string]types.AttributeValue
}

// Projected is what a projection did.
type Projected struct {
	Records      int // that it went through, those of no interest included
	Transactions int
	Retries      int // of transactions that met another one
}

// maxTransact is the most items of one transaction.
const maxTransact = 100

// projectPatience bounds a projection, waits for other projectors included.
const projectPatience = time.Minute

// Project brings statistics, and the copies of products with a power set, up
// to date with records of one shard, which must be in order and follow the
// checkpoint; those at or before it are passed over. Statistics, copies and
// checkpoint move in one transaction, so a record counts once however often it
// is delivered and however many projectors there are. Many records that
// concern the same few products are summed first.
//
// The checkpoint is moved to the last record that took effect, also when an
// error is returned: Unavailable if the store does not answer, or Internal for
// a damaged record. After ErrNegative the statistics are marked as broken.
func (s *Store) Project(ctx context.Context, c *Checkpoint, records []Record) (done Projected, err error) {
	ctx, cancel := context.WithTimeout(ctx, projectPatience)
	defer cancel()
	changes := make([]change, 0, len(records))
	var damage error // of the record at which this ends
	for _, r := range records {
		ch, err := changeOf(r)
		if err != nil {
			damage = err
			break
		}
		changes = append(changes, ch)
	}
	for pause := newPause(); ; {
		for len(changes) > 0 && CompareSequence(changes[0].sequence, c.Sequence) <= 0 {
			changes = changes[1:]
			done.Records++
		}
		if len(changes) == 0 {
			return done, damage
		}
		n, wrote, err := s.projectSome(ctx, c, changes)
		switch {
		case err == nil:
			if wrote {
				done.Transactions++
				pause = newPause()
			}
			done.Records += n
			changes = changes[n:]
			continue
		case errors.Is(err, errRace):
			done.Retries++
		default:
			if errors.Is(err, stats.ErrNegative) {
				err = errors.Join(err, s.markBroken(ctx, true))
			}
			return done, failed("project the changes", err)
		}
		if err := pause.wait(ctx); err != nil {
			return done, failed("project the changes", err)
		}
	}
}

// errRace says that somebody else changed what a transaction was about.
var errRace = errors.New("somebody else was faster")

// change is what a record means for what is projected.
type change struct {
	sequence      string
	created       time.Time
	id            string // of the comment; empty for a record of no interest
	before, after *image
}

// image is a comment before or after a change.
type image struct {
	stats.Counted
	item item
}

// changeOf picks out what a record says about a comment. Everything else that
// is written to the table is of no interest, first of all what the projector
// itself writes.
func changeOf(r Record) (change, error) {
	ch := change{sequence: r.Sequence, created: r.Created}
	for _, side := range []struct {
		item item
		to   **image
	}{{r.Before, &ch.before}, {r.After, &ch.after}} {
		pk, _ := side.item[key.PK].(*types.AttributeValueMemberS)
		if pk == nil {
			continue
		}
		id, ok := key.CommentID(pk.Value)
		if !ok {
			continue
		}
		c, err := commentOf(side.item, "")
		if err != nil {
			return ch, damagedItem(side.item, err)
		}
		ch.id = id
		*side.to = &image{stats.Counted{ProductID: c.ProductID, Language: c.Language, Rating: c.Rating, Bytes: c.size, Generation: c.generation}, side.item}
	}
	return ch, nil
}

// projectSome projects as many of the changes as one transaction takes, and
// returns how many that were and whether a transaction was needed.
func (s *Store) projectSome(ctx context.Context, c *Checkpoint, changes []change) (n int, wrote bool, err error) {
	guess, err := s.recentMeta(ctx)
	if err != nil {
		return 0, false, err
	}
	b := newBatch(guess)
	for n < len(changes) && b.add(changes[n]) {
		n++
	}
	return s.projectBatch(ctx, c, b, changes[:n])
}

// projectBatch projects a batch, or a part of it if it turns out too large for
// one transaction.
func (s *Store) projectBatch(ctx context.Context, c *Checkpoint, b *batch, changes []change) (n int, wrote bool, err error) {
	n = len(changes)
	last, readAt := changes[n-1].sequence, c.ReadAt
	if created := changes[n-1].created; created.After(readAt) {
		readAt = created // what follows is younger, and dropped later
	}
	if len(b.scopes) == 0 { // nothing in it is about comments
		c.Sequence = last
		return n, false, nil
	}
	// The order of these two matters: who changes what Meta says changes the
	// statistics afterwards, so that a transaction which does not know of it fails.
	known, err := s.getStatistics(ctx, b.scopes)
	if err != nil {
		return 0, false, err
	}
	meta, err := s.Meta(ctx)
	if err != nil {
		return 0, false, err
	}
	if !b.fits(meta) {
		return 0, false, errRace // the next try guesses better
	}
	// Before the transaction, so that a crash between the two loses nothing.
	if err := s.touchStale(ctx, meta.Generation, changes); err != nil {
		return 0, false, err
	}
	writes, err := s.writes(b, meta.Generation, changes, known)
	if errors.Is(err, stats.ErrNegative) { // also if somebody else projected the same just now
		if moved, readErr := s.overtaken(ctx, c); readErr != nil || moved {
			return 0, false, cmp.Or(readErr, errRace)
		}
	}
	if err != nil {
		return 0, false, err
	}
	if len(writes) >= maxTransact && n > 1 { // many hints change, which is rare
		half := newBatch(b.meta)
		for _, ch := range changes[:n/2] {
			half.add(ch)
		}
		return s.projectBatch(ctx, c, half, changes[:n/2])
	}
	// The checkpoint moves with every record of a comment, also if nothing else
	// changes: what another projector finds behind it must be what this one
	// took into account.
	moved := *c
	moved.ReadAt = readAt
	writes = append(writes, types.TransactWriteItem{Put: moved.write(s.table, last, false)})
	if err := s.transact(ctx, writes); err != nil {
		if errors.Is(err, errRace) {
			if _, readErr := s.overtaken(ctx, c); readErr != nil {
				return 0, false, readErr
			}
		}
		return 0, false, err
	}
	c.Sequence, c.saved, c.exists, c.ReadAt = last, last, true, readAt
	return n, true, nil
}

// overtaken tells whether somebody else moved the checkpoint, which is then theirs.
func (s *Store) overtaken(ctx context.Context, c *Checkpoint) (bool, error) {
	theirs, err := s.Checkpoint(ctx, c.ShardID)
	if err != nil || theirs.saved == c.saved && theirs.exists == c.exists && theirs.Done == c.Done {
		return false, err
	}
	*c = *theirs
	return true, nil
}

// transact writes everything or nothing. errRace says that a condition did not
// hold or that another transaction is under way.
func (s *Store) transact(ctx context.Context, writes []types.TransactWriteItem) error {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	_, err := s.api.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
	var canceled *types.TransactionCanceledException
	if !errors.As(err, &canceled) {
		return err
	}
	for _, r := range canceled.CancellationReasons {
		switch aws.ToString(r.Code) {
		case "", "None", "ConditionalCheckFailed", "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded":
		default:
			return err
		}
	}
	return errRace
}

// batch gathers changes for one transaction.
type batch struct {
	meta   Meta // as far as it is known
	scopes map[stats.Scope]bool
	copied map[string]copied // by comment id, of products with a power set
	copies int               // items that these change
}

// copied is a comment whose copies change: as it was before the batch, and as
// it is after it.
type copied struct{ before, after *image }

func newBatch(meta Meta) *batch {
	return &batch{meta: meta, scopes: map[stats.Scope]bool{}, copied: map[string]copied{}}
}

// add takes one more change, unless the transaction would become too large for
// it. The first always fits.
func (b *batch) add(ch change) bool {
	var scopes []stats.Scope
	for _, im := range []*image{ch.before, ch.after} {
		if im == nil {
			continue
		}
		for _, scope := range []stats.Scope{{ProductID: im.ProductID}, {ProductID: im.ProductID, Language: im.Language}} {
			if !b.scopes[scope] && !slices.Contains(scopes, scope) {
				scopes = append(scopes, scope)
			}
		}
	}
	was, copying := b.copied[ch.id]
	is := copied{before: ch.before, after: ch.after}
	if copying {
		is.before = was.before
	}
	copies := b.copies - len(was.writes(b.meta, "")) + len(is.writes(b.meta, ""))
	if 1+len(b.scopes)+len(scopes)+copies > maxTransact && len(b.scopes) > 0 {
		return false
	}
	for _, scope := range scopes {
		b.scopes[scope] = true
	}
	if ch.id != "" && (copying || copies > b.copies) {
		b.copied[ch.id], b.copies = is, copies
	}
	return true
}

// fits tells whether the batch was gathered knowing what matters of meta.
func (b *batch) fits(meta Meta) bool {
	for scope := range b.scopes {
		if b.meta.PowerSets[scope.ProductID].Kept() != meta.PowerSets[scope.ProductID].Kept() {
			return false
		}
	}
	return true
}

// writes returns what the changes of a batch change beside the checkpoint.
func (s *Store) writes(b *batch, generation int, changes []change, known knownStatistics) ([]types.TransactWriteItem, error) {
	deltas := stats.Deltas{}
	for _, ch := range changes {
		deltas.Change(ch.before.counted(), ch.after.counted(), generation)
	}
	deltas.Prune()
	var writes []types.TransactWriteItem
	emptied := map[string][]string{} // product to hints
	for _, scope := range deltas.Scopes() {
		old := known.items[scope]
		before := old.as(generation)
		after, err := before.After(deltas[scope])
		if err != nil {
			return nil, fmt.Errorf("the statistics of product %q, language %q: %w", scope.ProductID, scope.Language, err)
		}
		writes = append(writes, old.write(s.table, after, generation))
		for i := range after.Tally {
			if scope.Language != "" && before.Tally[i] > 0 && after.Tally[i] == 0 {
				emptied[scope.ProductID] = append(emptied[scope.ProductID], key.Hint(scope.Language, i+1))
			}
		}
	}
	for product, hints := range known.hints {
		if w := hints.write(s.table, emptied[product], s.now()); w != nil {
			writes = append(writes, *w)
		}
	}
	for _, c := range b.copied {
		writes = append(writes, c.writes(b.meta, s.table)...)
	}
	return writes, nil
}

// counted returns nil for no image.
func (im *image) counted() *stats.Counted {
	if im == nil {
		return nil
	}
	return &im.Counted
}
