package main

import (
	"fmt"
	"time"

	"product-comments/store/key"
)

// comment is an item of an index, and what the answer shows of it.
type comment struct {
	PK     string `dynamodbav:"PK" json:"-"`
	SK     string `dynamodbav:"SK" json:"-"`
	GSIPK  string `dynamodbav:"GSIPK" json:"-"` // only the key of the index that was read is there
	GSI2PK string `dynamodbav:"GSI2PK" json:"-"`
	GSI3PK string `dynamodbav:"GSI3PK" json:"-"`
	GSI4PK string `dynamodbav:"GSI4PK" json:"-"`
	GSISK  string `dynamodbav:"GSISK" json:"-"`

	CommentID string    `dynamodbav:"-" json:"commentId"`
	Rating    int       `dynamodbav:"rating" json:"rating"`
	Language  string    `dynamodbav:"lang" json:"language"`
	Title     *string   `dynamodbav:"title" json:"title"`
	Text      *string   `dynamodbav:"text" json:"text"` // the index has those of at most item.InlineText bytes
	Author    *string   `dynamodbav:"author" json:"author"`
	CreatedAt time.Time `dynamodbav:"-" json:"createdAt"`
}

// readKeys fills what stands only in the keys.
func (c *comment) readKeys() error {
	at, ok := key.ParseSortKey(c.GSISK)
	if !ok {
		return fmt.Errorf("item %s has the %s %q", c.PK, key.GSISK, c.GSISK)
	}
	c.CommentID, c.CreatedAt = at.CommentID, at.CreatedAt
	return nil
}

// startKey returns the LastEvaluatedKey of a query that ended with the comment.
func (c *comment) startKey(in key.Partition) startKey {
	return startKey{in.Index.PartitionKey: in.Value, key.GSISK: c.GSISK, key.PK: c.PK, key.SK: c.SK}
}
