package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"product-comments/store/comment/compressed"
	"product-comments/store/key"
)

// table is the table with the comments.
type table struct {
	client interface {
		Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
	}
	name string
}

// answer is the result of one query.
type answer struct {
	comments []comment
	more     bool // there was a LastEvaluatedKey
	units    float64
}

// query reads a page of one partition, newest first.
func (t *table) query(ctx context.Context, p key.Partition, after startKey, first int) (answer, error) {
	in := &dynamodb.QueryInput{
		TableName:                 &t.name,
		IndexName:                 &p.Index.Name,
		KeyConditionExpression:    aws.String(p.Index.PartitionKey + " = :partition"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":partition": &types.AttributeValueMemberS{Value: p.Value}},
		ScanIndexForward:          aws.Bool(false),
		Limit:                     aws.Int32(int32(first)),
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityTotal,
	}
	if after != nil {
		start, err := attributevalue.MarshalMap(after)
		if err != nil {
			return answer{}, fmt.Errorf("start key: %w", err)
		}
		in.ExclusiveStartKey = start
	}
	out, err := t.client.Query(ctx, in)
	if err != nil {
		return answer{}, err
	}
	a := answer{more: len(out.LastEvaluatedKey) > 0}
	if out.ConsumedCapacity != nil {
		a.units = aws.ToFloat64(out.ConsumedCapacity.CapacityUnits)
	}
	if err := attributevalue.UnmarshalListOfMaps(out.Items, &a.comments); err != nil {
		return answer{}, fmt.Errorf("read the items: %w", err)
	}
	for i := range a.comments {
		if err := errors.Join(a.comments[i].readKeys(), a.comments[i].unpack()); err != nil {
			return answer{}, err
		}
	}
	return a, nil
}

// startKey is a LastEvaluatedKey: attribute to value. All key attributes are strings.
type startKey map[string]string

// cursor is the combined LastEvaluatedKey: the start key of each partition, by the value of the
// partition key.
type cursor map[string]startKey

var errCursor = errors.New("this is no cursor")

func (c cursor) encode() (string, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(text), nil
}

func decode(token string) (cursor, error) {
	if token == "" {
		return nil, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return nil, errCursor
	}
	var c cursor
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, errCursor
	}
	return c, nil
}

// inclusive returns a key right before this one in reading order, so that a query that starts
// after it returns this item. Part 3 says to decrement the strings by one character. Newest first,
// "before" is greater, so the last character is incremented.
func (k startKey) inclusive() startKey {
	out := startKey{}
	for name, value := range k {
		switch name {
		case key.GSISK, key.PK, key.SK:
			value = next(value)
		}
		out[name] = value
	}
	return out
}

func next(s string) string {
	last, size := utf8.DecodeLastRuneInString(s)
	if size == 0 || last == utf8.MaxRune {
		return s + "\x00"
	}
	if last++; !utf8.ValidRune(last) { // skip the surrogates
		last = 0xe000
	}
	return s[:len(s)-size] + string(last)
}

// comment is an item of an index, with the fields of the answer.
type comment struct {
	PK     string `dynamodbav:"PK" json:"-"`
	SK     string `dynamodbav:"SK" json:"-"`
	GSIPK  string `dynamodbav:"GSIPK" json:"-"` // items have the partition key of their index only
	GSI2PK string `dynamodbav:"GSI2PK" json:"-"`
	GSI3PK string `dynamodbav:"GSI3PK" json:"-"`
	GSI4PK string `dynamodbav:"GSI4PK" json:"-"`
	GSISK  string `dynamodbav:"GSISK" json:"-"`

	CommentID string    `dynamodbav:"-" json:"commentId"`
	Rating    int       `dynamodbav:"rating" json:"rating"`
	Language  string    `dynamodbav:"lang" json:"language"`
	Title     *string   `dynamodbav:"title" json:"title"`
	Text      *string   `dynamodbav:"text" json:"text"` // indexes have texts of at most item.InlineText bytes only
	Author    *string   `dynamodbav:"author" json:"author"`
	CreatedAt time.Time `dynamodbav:"-" json:"createdAt"`

	Compressed []byte `dynamodbav:"z" json:"-"` // title, text and author
}

// readKeys sets the fields that are in the keys only.
func (c *comment) readKeys() error {
	at, ok := key.ParseSortKey(c.GSISK)
	if !ok {
		return fmt.Errorf("item %s has the %s %q", c.PK, key.GSISK, c.GSISK)
	}
	c.CommentID, c.CreatedAt = at.CommentID, at.CreatedAt
	return nil
}

// unpack sets the fields that are compressed.
func (c *comment) unpack() error {
	if c.Compressed == nil {
		return nil
	}
	w, err := compressed.Unpack(string(c.Compressed))
	for to, text := range map[**string]string{&c.Title: w.Title, &c.Text: w.Text, &c.Author: w.Author} {
		if text != "" {
			*to = &text
		}
	}
	return err
}

// startKey returns the LastEvaluatedKey of a query that ended with the comment.
func (c *comment) startKey(in key.Partition) startKey {
	return startKey{in.Index.PartitionKey: in.Value, key.GSISK: c.GSISK, key.PK: c.PK, key.SK: c.SK}
}

// question is a request.
type question struct {
	productID string
	language  string // empty for any
	ratings   key.Ratings
	after     cursor
	first     int
}

// partitions returns the partitions to read: one, or one for each of several ratings.
func (q question) partitions() []key.Partition {
	ratings := q.ratings.List()
	switch {
	case len(ratings) == 0 && q.language == "":
		return []key.Partition{key.PartitionAll(q.productID)}
	case len(ratings) == 0:
		return []key.Partition{key.PartitionByLang(q.productID, q.language)}
	}
	out := make([]key.Partition, len(ratings))
	for i, r := range ratings {
		out[i] = key.PartitionByRating(q.productID, r)
		if q.language != "" {
			out[i] = key.PartitionByLangAndRating(q.productID, q.language, r)
		}
	}
	return out
}

// page is the answer, with its cost.
type page struct {
	Comments []comment `json:"comments"`
	PageInfo pageInfo  `json:"pageInfo"`

	units   float64
	queries int
}

type pageInfo struct {
	HasNextPage bool    `json:"hasNextPage"`
	EndCursor   *string `json:"endCursor"`
}

// read answers a question.
func (t *table) read(ctx context.Context, q question) (page, error) {
	partitions := q.partitions()
	answers := make([]answer, len(partitions))
	group, groupCtx := errgroup.WithContext(ctx)
	for i, p := range partitions {
		group.Go(func() (err error) {
			answers[i], err = t.query(groupCtx, p, q.after[p.Value], q.first)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return page{}, err
	}
	out := page{queries: len(partitions)}
	more := false
	for _, a := range answers {
		out.Comments = append(out.Comments, a.comments...)
		out.units += a.units
		more = more || a.more
	}
	slices.SortFunc(out.Comments, func(a, b comment) int { return strings.Compare(b.GSISK, a.GSISK) })
	if len(out.Comments) > q.first {
		out.Comments, more = out.Comments[:q.first], true
	}
	out.PageInfo.HasNextPage = more
	if len(out.Comments) == 0 {
		return out, nil
	}
	token, err := combine(q.after, partitions, answers, out.Comments[len(out.Comments)-1].GSISK).encode()
	out.PageInfo.EndCursor = &token
	return out, err
}

// combine makes the cursor of a page that ends with the item with this sort key.
func combine(before cursor, partitions []key.Partition, answers []answer, end string) cursor {
	out := cursor{}
	for i, p := range partitions {
		var lastVisible *comment
		for j := range answers[i].comments {
			if c := &answers[i].comments[j]; c.GSISK >= end {
				lastVisible = c
			}
		}
		switch {
		case lastVisible != nil:
			out[p.Value] = lastVisible.startKey(p)
		case len(answers[i].comments) > 0:
			out[p.Value] = answers[i].comments[0].startKey(p).inclusive()
		case before[p.Value] != nil: // read to its end on an earlier page
			out[p.Value] = before[p.Value]
		}
	}
	return out
}
