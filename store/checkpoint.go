package store

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
)

// Checkpoint is how far a shard of the table's stream was projected. It moves
// in the same transaction as the statistics.
type Checkpoint struct {
	ShardID string
	// Sequence is the sequence number of the last record that was projected or
	// had nothing to project; empty before the first.
	Sequence string
	// Done is true for a shard that was closed and read to its end.
	Done bool
	// ReadAt is a time up to which everything that was written to the shard has
	// been read: the creation of the record at Sequence, or later. Zero if the
	// shard was never read.
	ReadAt time.Time

	exists bool   // the item does
	saved  string // the sequence number in it; a change is conditional on it
}

// Attributes of a checkpoint's item beside expires, which is set when it is done.
const (
	attrSequence = "seq"    // S, decimal
	attrDone     = "done"   // BOOL
	attrReadAt   = "readAt" // N, seconds since 1970
)

// doneCheckpoints are kept for longer than the stream keeps records, since
// child shards ask for them.
const doneCheckpoints = 7 * 24 * time.Hour

// trimAge is for how long a stream surely keeps records; DynamoDB says 24 hours.
const trimAge = 23 * time.Hour

// Trimmed tells whether records of the shard may be lost that were not read,
// if the stream no longer has what follows the checkpoint.
func (c *Checkpoint) Trimmed(now time.Time) bool { return now.Sub(c.ReadAt) > trimAge }

// CompareSequence orders the sequence numbers of a shard, which are decimal
// numbers of any length, perhaps with leading zeros. Empty comes first.
func CompareSequence(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// Checkpoint reads a shard's checkpoint, strongly consistent. That of a shard
// that was never read has no sequence number. It returns an Unavailable error
// if the store does not answer.
func (s *Store) Checkpoint(ctx context.Context, shardID string) (*Checkpoint, error) {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	it, err := s.getItem(ctx, key.Checkpoint(shardID))
	if err != nil {
		return nil, err
	}
	c := &Checkpoint{ShardID: shardID, exists: it != nil}
	c.Sequence = text(it, attrSequence)
	c.saved = c.Sequence
	if v, _ := it[attrDone].(*types.AttributeValueMemberBOOL); v != nil {
		c.Done = v.Value
	}
	var at statisticsItem
	var seconds int
	if err := at.number(it, attrReadAt, &seconds); err != nil {
		return nil, err
	}
	if seconds > 0 {
		c.ReadAt = time.Unix(int64(seconds), 0)
	}
	return c, nil
}

// SaveCheckpoint writes a checkpoint that moved without anything to project.
// If somebody else moved it meanwhile, the checkpoint is replaced by theirs,
// which is no error. It returns an Unavailable error if the store does not
// answer.
func (s *Store) SaveCheckpoint(ctx context.Context, c *Checkpoint) error {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	put := c.write(s.table, c.Sequence, c.Done)
	_, err := s.api.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: put.TableName, Item: put.Item,
		ConditionExpression: put.ConditionExpression, ExpressionAttributeValues: put.ExpressionAttributeValues,
	})
	if _, lost := conditionFailed(err); lost {
		theirs, err := s.Checkpoint(ctx, c.ShardID)
		if err == nil {
			*c = *theirs
		}
		return err
	}
	if err == nil {
		c.exists, c.saved = true, c.Sequence
	}
	return failed("write the checkpoint", err)
}

// write returns the change of the item to a new place, on the condition that
// nobody moved it.
func (c *Checkpoint) write(table, sequence string, done bool) *types.Put {
	it := primaryKey(key.Checkpoint(c.ShardID))
	it[attrSequence], it[attrReadAt] = str(sequence), num(int(c.ReadAt.Unix()))
	if done {
		it[attrDone] = &types.AttributeValueMemberBOOL{Value: true}
		it[attrExpires] = num(int(c.ReadAt.Add(doneCheckpoints).Unix()))
	}
	put := &types.Put{TableName: &table, Item: it}
	condition := absent
	if c.exists {
		condition = attrSequence + " = :saved AND attribute_not_exists(" + attrDone + ")"
		put.ExpressionAttributeValues = item{":saved": str(c.saved)}
	}
	put.ConditionExpression = &condition
	return put
}
