package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
	"product-comments/store/stats"
)

// Attributes of a statistics item beside its keys and gen, its generation. An item that counts nothing
// does not exist.
const (
	attrCount     = "count_"      // N, with the rating: count_1 to count_5
	attrTotal     = "count_total" // N
	attrBytes     = "bytes_"      // N, with the rating: their size
	attrLargest   = "largest"     // N, bytes
	attrLanguages = "langs"       // M of N: comments in each language; in the item S only
	attrRevision  = "rev"         // N, another one with every change; no index carries it
)

// statisticsItem is a statistics item as it was read, so that a change of it
// can be made conditional on nothing having changed it since.
type statisticsItem struct {
	stats.Measured
	scope      stats.Scope
	revision   int // 0 if there is no item
	generation int
}

// statisticsKey is the primary key of a scope's item.
func statisticsKey(scope stats.Scope) item {
	return item{key.PK: str(key.Product(scope.ProductID)), key.SK: str(key.StatisticsSK(scope.Language))}
}

// statisticsOf reads the item of a scope; of no item it makes empty statistics.
func statisticsOf(scope stats.Scope, it item) (statisticsItem, error) {
	s := statisticsItem{scope: scope}
	for i := range s.Tally {
		if err := s.number(it, attrCount+strconv.Itoa(i+1), &s.Tally[i]); err != nil {
			return s, err
		}
	}
	for i := range s.Bytes {
		if err := s.number(it, attrBytes+strconv.Itoa(i+1), &s.Bytes[i]); err != nil {
			return s, err
		}
	}
	if err := s.number(it, attrLargest, &s.Largest); err != nil {
		return s, err
	}
	if err := s.number(it, attrRevision, &s.revision); err != nil {
		return s, err
	}
	if err := s.number(it, attrGeneration, &s.generation); err != nil {
		return s, err
	}
	languages, _ := it[attrLanguages].(*types.AttributeValueMemberM)
	if languages == nil {
		return s, nil
	}
	s.Languages = make(map[string]int, len(languages.Value))
	for language := range languages.Value {
		var n int
		if err := s.number(languages.Value, language, &n); err != nil {
			return s, err
		}
		s.Languages[language] = n
	}
	return s, nil
}

// number reads an attribute into to, which stays as it is if there is none.
func (s *statisticsItem) number(it item, name string, to *int) (err error) {
	value := it[name]
	if value == nil {
		return nil
	}
	n, _ := value.(*types.AttributeValueMemberN)
	if n == nil {
		err = errors.New("not a number")
	} else {
		*to, err = strconv.Atoi(n.Value)
	}
	if err != nil {
		return damaged(fmt.Sprintf("%s %s", key.Product(s.scope.ProductID), key.StatisticsSK(s.scope.Language)), fmt.Errorf("attribute %s: %w", name, err))
	}
	return nil
}

// as returns the statistics as a generation sees them: those of an older one
// count nothing.
func (s statisticsItem) as(generation int) stats.Measured {
	if s.generation < generation {
		return stats.Measured{}
	}
	return s.Measured
}

// nextRevision starts at random, so that an item which was deleted and made
// anew is never taken for the one that was read before.
func (s statisticsItem) nextRevision() int {
	if s.revision == 0 {
		return 1 + rand.N(1<<50)
	}
	return s.revision + 1
}

// write returns the change of the item to new statistics of a generation, on
// the condition that it is still as it was read. Statistics that count nothing
// have no item.
func (s statisticsItem) write(table string, to stats.Measured, generation int) types.TransactWriteItem {
	condition := "attribute_not_exists(" + key.PK + ")"
	values := item{}
	if s.revision > 0 {
		condition = attrRevision + " = :old"
		values[":old"] = num(s.revision)
	}
	if to.Total() == 0 {
		if s.revision == 0 { // nothing there, nothing to be there: hold that
			return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: &table, Key: statisticsKey(s.scope), ConditionExpression: &condition}}
		}
		return types.TransactWriteItem{Delete: &types.Delete{TableName: &table, Key: statisticsKey(s.scope), ConditionExpression: &condition, ExpressionAttributeValues: values}}
	}
	it := statisticsKey(s.scope)
	for i, n := range to.Tally {
		it[attrCount+strconv.Itoa(i+1)] = num(n)
		it[attrBytes+strconv.Itoa(i+1)] = num(to.Bytes[i])
	}
	it[attrTotal] = num(to.Total())
	it[attrLargest] = num(to.Largest)
	it[attrRevision] = num(s.nextRevision())
	if generation > 0 {
		it[attrGeneration] = num(generation)
	}
	if to.Languages != nil {
		languages := make(item, len(to.Languages))
		for language, n := range to.Languages {
			languages[language] = num(n)
		}
		it[attrLanguages] = &types.AttributeValueMemberM{Value: languages}
	}
	if fives := to.Tally[4]; fives > 0 { // sparse: only products with a 5 are in the leaderboard
		board := key.Leaders(s.scope.Language)
		it[board.Index.PartitionKey] = str(board.Value)
		it[board.Index.SortKey] = str(key.Rank{FiveStars: fives, ProductID: s.scope.ProductID}.SortKey())
	}
	put := &types.Put{TableName: &table, Item: it, ConditionExpression: &condition}
	if len(values) > 0 {
		put.ExpressionAttributeValues = values
	}
	return types.TransactWriteItem{Put: put}
}
