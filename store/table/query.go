package table

import (
	"context"
	"fmt"
	"iter"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
)

// Query asks for a stretch of one partition, of the table or of an index.
type Query struct {
	Partition  key.Partition
	After      map[string]string // ExclusiveStartKey; nil to begin at the start of the partition in reading order
	Until      string            // exclusive sort key at which reading stops; empty for none
	From, To   string            // inclusive range of sort keys, instead of Until; empty for any
	Descending bool
	Limit      int    // items to evaluate; 0 for as many as a response holds
	Consistent bool   // for tables only, not for indexes
	Filter     string // filter expression; empty for none
	Names      map[string]string
	Values     Item // of the filter
}

// Answer describes the response of a query.
type Answer struct {
	Evaluated int     // items evaluated, before the filter
	Next      string  // sort key in the LastEvaluatedKey; empty at the partition's end
	Units     float64 // read capacity units
}

func (q Query) call() Call {
	in := q.Partition
	return Call{Operation: QueryItems, Index: in.Index, Access: key.AccessOf(in.Index, in.Value, "")}
}

func (q Query) input(t *Table) *dynamodb.QueryInput {
	in := &dynamodb.QueryInput{
		TableName: t.nameOf(q.Partition.Index), ScanIndexForward: aws.Bool(!q.Descending),
		ReturnConsumedCapacity:   total,
		ExpressionAttributeNames: q.Names, ExpressionAttributeValues: Item{":partition": S(q.Partition.Value)},
	}
	for name, value := range q.Values {
		in.ExpressionAttributeValues[name] = value
	}
	condition := q.Partition.Index.PartitionKey + " = :partition"
	if q.Until != "" {
		compare := " < :until"
		if q.Descending {
			compare = " > :until"
		}
		condition += " AND " + q.Partition.Index.SortKey + compare
		in.ExpressionAttributeValues[":until"] = sortValue(q.Partition.Index, q.Until)
	}
	if q.To != "" {
		condition += " AND " + q.Partition.Index.SortKey + " BETWEEN :from AND :to"
		in.ExpressionAttributeValues[":from"],
			in.ExpressionAttributeValues[":to"] = sortValue(q.Partition.Index, q.From),
			sortValue(q.Partition.Index, q.To)
	}
	in.KeyConditionExpression = &condition
	if q.Limit > 0 {
		in.Limit = aws.Int32(int32(q.Limit))
	}
	if q.Filter != "" {
		in.FilterExpression = &q.Filter
	}
	if q.Partition.Index != key.Table && !q.Partition.Index.Apart() {
		in.IndexName = t.indexName(q.Partition.Index.Name)
	} else if q.Consistent {
		in.ConsistentRead = aws.Bool(true)
	}
	if q.After != nil {
		in.ExclusiveStartKey = Item{}
		for name, value := range q.After {
			in.ExclusiveStartKey[name] = S(value)
			if name == q.Partition.Index.SortKey {
				in.ExclusiveStartKey[name] = sortValue(q.Partition.Index, value)
			}
		}
	}
	return in
}

// sortValue returns a sort key of an index as an attribute value.
func sortValue(in key.Index, sort string) types.AttributeValue {
	if in.Apart() {
		return B([]byte(sort))
	}
	return S(sort)
}

// Rows receives the items of a response attribute by attribute, without a map for each item. An
// error ends the query.
type Rows interface {
	// Expect discards everything received, since a retry starts again, and makes room for about
	// this number of items.
	Expect(items int)
	// Attribute receives one of the requested attributes, of type S, N, B, T (for BOOL) or M.
	// Members parses the value of an M.
	Attribute(name string, kind byte, value string) error
	EndItem() error
}

// QueryRows makes one query and passes the attributes in names of each item to rows. It does not
// meter the query, see Spent, since only the caller knows which queries are one round trip. It
// returns the error of rows.
func (t *Table) QueryRows(ctx context.Context, q Query, names *Names, rows Rows) (got Answer, err error) {
	ctx, cancel := t.Deadline(ctx)
	defer cancel()
	done, err := allow(ctx, q.atMost(), q.Limit)
	if err != nil {
		return Answer{}, Failed("read the partition", err)
	}
	defer func() {
		if ended := done(got.Units, got.Evaluated, int(got.Units*bytesOfUnit)); err == nil && ended != nil {
			err = Failed("read the partition", ended)
		}
	}()
	in := q.input(t)
	answer := &decodedAnswer{names: names, rows: rows, sortKey: q.Partition.Index.SortKey, limit: q.Limit}
	call := t.api.Query
	if direct, ok := t.api.(Direct); ok {
		call = answer.ofDirect(direct)
	}
	out, err := ask(context.WithValue(ctx, answerKey{}, answer), t, q.call(), call, in)
	if err != nil {
		return Answer{}, Failed("read the partition", err)
	}
	if !answer.done { // the SDK read the response
		err = answer.addOutput(out)
	}
	return answer.Answer, err
}

// Direct is an engine in this process. It passes items to Rows without an output of the SDK.
type Direct interface {
	QueryRows(context.Context, *dynamodb.QueryInput, *Names, Rows) (DirectAnswer, error)
}

// InProcess reports whether the table's engine is in this process.
func (t *Table) InProcess() bool {
	_, ok := t.api.(Direct)
	return ok
}

// DirectAnswer is the answer of a Direct.
type DirectAnswer struct {
	Answer      // without Next
	Last   Item // the LastEvaluatedKey
}

// ofDirect returns a call that decodes the answer of an engine in this process.
func (a *decodedAnswer) ofDirect(direct Direct) func(context.Context, *dynamodb.QueryInput,
	...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return func(ctx context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
		a.rows.Expect(min(a.limit, mostExpected))
		got, err := direct.QueryRows(ctx, in, a.names, a.rows)
		if err != nil {
			return nil, err
		}
		a.Answer, a.done = got.Answer, true
		a.Next = textOf(got.Last, a.sortKey)
		return &dynamodb.QueryOutput{ConsumedCapacity: &types.ConsumedCapacity{CapacityUnits: &got.Units}}, nil
	}
}

// addOutput passes an output that the SDK has unmarshalled to rows.
func (a *decodedAnswer) addOutput(out *dynamodb.QueryOutput) error {
	a.rows.Expect(len(out.Items))
	for _, it := range out.Items {
		if err := EachAttribute(it, a.names, a.rows.Attribute); err != nil {
			return Damaged(it, err)
		}
		if err := a.rows.EndItem(); err != nil {
			return Damaged(it, err)
		}
	}
	a.Answer = Answer{Evaluated: int(out.ScannedCount), Next: textOf(out.LastEvaluatedKey, a.sortKey)}
	a.Units = units(out)
	if len(out.LastEvaluatedKey) > 0 && a.Next == "" {
		return fmt.Errorf("a LastEvaluatedKey lacks %s", a.sortKey)
	}
	return nil
}

// EachAttribute calls each with the attributes of an item that are in names, in the form of
// Rows.
func EachAttribute(it Item, names *Names, each func(name string, kind byte, value string) error) error {
	for name, value := range it {
		if !names.Has(name) {
			continue
		}
		var err error
		switch v := value.(type) {
		case *types.AttributeValueMemberS:
			err = each(name, 'S', v.Value)
		case *types.AttributeValueMemberN:
			err = each(name, 'N', v.Value)
		case *types.AttributeValueMemberBOOL:
			err = each(name, 'T', strconv.FormatBool(v.Value))
		case *types.AttributeValueMemberB:
			err = each(name, 'B', string(v.Value))
		case *types.AttributeValueMemberM:
			err = each(name, 'M', spelledM(v))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Query makes one query and returns whole items with the LastEvaluatedKey, which is nil at the
// partition's end.
func (t *Table) Query(ctx context.Context, q Query) (items []Item, last map[string]string, err error) {
	ctx, cancel := t.Deadline(ctx)
	defer cancel()
	in := q.input(t)
	out, err := metered(ctx, t, "the partition", q.atMost(), func() (*dynamodb.QueryOutput, error) {
		return ask(ctx, t, q.call(), t.api.Query, in)
	})
	if err != nil {
		return nil, nil, err
	}
	for name := range out.LastEvaluatedKey {
		if last == nil {
			last = map[string]string{}
		}
		last[name] = textOf(out.LastEvaluatedKey, name)
	}
	return out.Items, last, nil
}

// All returns the items of a query, in as many calls as needed. If the store does not answer,
// the last element is an Unavailable error.
func (t *Table) All(ctx context.Context, q Query) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for {
			items, last, err := t.Query(ctx, q)
			for _, it := range items {
				if !yield(it, nil) {
					return
				}
			}
			if err != nil {
				yield(nil, err)
			}
			if q.After = last; last == nil {
				return
			}
		}
	}
}

// Each calls each with every item of a partition, in order. In the table itself, reads are strongly
// consistent. It returns the first error of each.
func (t *Table) Each(ctx context.Context, in key.Partition, each func(Item) error) error {
	for it, err := range t.All(Patiently(ctx), Query{Partition: in, Consistent: true}) {
		if err == nil {
			err = each(it)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
