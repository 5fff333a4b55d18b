package dynamo

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

const maxBatchGet = 100 // keys

// Read is the read of one key, alone or in a batch.
type Read struct {
	Table      *Table
	Key        Item
	Consistent bool
	paths      []path
}

// Of returns the projection of an item that the read returns, and the cost in read units.
func (r Read) Of(it Item) (Item, Units) {
	return projected(it, r.paths), Units{All: readUnits(Size(it), r.Consistent)}
}

// Get checks a GetItem and returns its read, or an Invalid or NotFound error.
func (find Tables) Get(in *dynamodb.GetItemInput) (Read, error) {
	t, err := find.table(in.TableName)
	if err != nil {
		return Read{}, err
	}
	r := newRequest(in.ExpressionAttributeNames, nil)
	paths := r.projection(in.ProjectionExpression)
	if err := r.done(); err != nil {
		return Read{}, err
	}
	return Read{t, in.Key, aws.ToBool(in.ConsistentRead), paths}, t.Base.Key.checkKey(in.Key)
}

// BatchGet checks a BatchGetItem and returns its reads, or an Invalid or NotFound error.
func (find Tables) BatchGet(in *dynamodb.BatchGetItemInput) ([]Read, error) {
	var reads []Read
	for _, name := range slices.Sorted(maps.Keys(in.RequestItems)) {
		of := in.RequestItems[name]
		t, err := find(name)
		if err != nil {
			return nil, err
		}
		r := newRequest(of.ExpressionAttributeNames, nil)
		paths := r.projection(of.ProjectionExpression)
		if err := r.done(); err != nil {
			return nil, err
		}
		seen := map[string]bool{}
		for _, key := range of.Keys {
			if err := t.Base.Key.checkKey(key); err != nil {
				return nil, err
			}
			id := t.ID(key)
			if seen[id] {
				return nil, Invalid("Provided list of item keys contains duplicates")
			}
			seen[id] = true
			reads = append(reads, Read{t, key, aws.ToBool(of.ConsistentRead), paths})
		}
		if len(of.Keys) == 0 {
			return nil, tooShort("requestItems." + name + ".member.keys")
		}
	}
	if len(reads) == 0 {
		return nil, tooShort("requestItems")
	}
	if len(reads) > maxBatchGet {
		return nil, Invalid("Too many items requested for the BatchGetItem call")
	}
	return reads, nil
}
