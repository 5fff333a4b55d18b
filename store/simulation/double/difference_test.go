package double

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/engine/dynamo"
	"product-comments/internal/testing/testkit"
	"product-comments/store"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// TestDifference makes random calls on the double, on the embedded engine and on an engine of
// others, and compares all answers, and in the end the table and its stream.
func TestDifference(t *testing.T) {
	r := testkit.Random(t)
	double, own, judge := sides(t)
	made := map[string]bool{}
	double.API.(*Client).db.o.Kinds = func(kind string) { made[kind] = true }
	outcomes := map[string]int{}
	missing := func() []string {
		return slices.DeleteFunc(Compared(), func(kind string) bool { return made[kind] })
	}
	for n := 0; n < 2500 || n < 20_000 && len(missing()) > 0; n++ { // some kinds are rare
		a := anything(r)
		outcomes[strings.Fields(a.text)[0]+" "+outcome(a.compare(t, double, own, judge))]++
	}
	for _, name := range slices.Sorted(maps.Keys(outcomes)) {
		t.Log(name, outcomes[name])
	}
	for _, what := range []string{"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"} {
		testkit.Check(t, outcomes[what+" succeeded"] != 0 && outcomes[what+" failed"] != 0, "%s always has the same outcome", what)
	}
	for _, kind := range missing() {
		t.Errorf("no call was compared of the kind %s", kind)
	}
	compareAll(t, double, own, judge)
}

// outcome sorts answers roughly.
func outcome(answer string) string {
	switch {
	case strings.HasPrefix(answer, "condition failed"), strings.HasPrefix(answer, "canceled"):
		return "failed"
	case strings.HasPrefix(answer, "refused"):
		return "refused"
	}
	return "succeeded"
}

// anything is any call.
func anything(r *rand.Rand) asked {
	g := newGenerator(r)
	switch g.IntN(20) {
	case 0, 1, 2, 3:
		return g.putItem()
	case 4, 5, 6, 7, 8:
		return g.updateItem()
	case 9:
		return g.deleteItem()
	case 10:
		return g.getItem()
	case 11, 12:
		return g.query()
	case 13, 14:
		return g.queryIndex()
	case 15:
		return g.scan()
	case 16:
		return g.batchGet()
	default:
		return transaction(r)
	}
}

// maybe returns a condition, or none.
func (g *generator) maybe() *string {
	if g.IntN(3) == 0 {
		return nil
	}
	return aws.String(g.condition(0))
}

func (g *generator) onFailure() types.ReturnValuesOnConditionCheckFailure {
	return pick(g.Rand, "", types.ReturnValuesOnConditionCheckFailureAllOld, types.ReturnValuesOnConditionCheckFailureNone)
}

// describe spells a call for a failure.
func (g *generator) describe(operation string, key item, expressions ...*string) string {
	out := operation + " " + spell(key)
	for _, e := range expressions {
		if e != nil {
			out += "\n  " + *e
		}
	}
	return out + fmt.Sprintf("\n  names %v, values %s", g.names, spell(g.values))
}

func (g *generator) putItem() asked {
	in := dynamodb.PutItemInput{Item: g.item(), ConditionExpression: g.maybe(), ReturnValuesOnConditionCheckFailure: g.onFailure()}
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityIndexes
	in.ReturnValues = pick(g.Rand, "", types.ReturnValueNone, types.ReturnValueAllOld)
	in.ExpressionAttributeNames, in.ExpressionAttributeValues = g.names, g.values
	return on(g.describe("PutItem", in.Item, in.ConditionExpression), in, store.API.PutItem, func(out *dynamodb.PutItemOutput) string { return spell(out.Attributes) })
}

func (g *generator) updateItem() asked {
	in := dynamodb.UpdateItemInput{Key: g.key(), UpdateExpression: aws.String(g.update()), ReturnValuesOnConditionCheckFailure: g.onFailure()}
	in.ConditionExpression = g.maybe()
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityIndexes
	in.ReturnValues = pick(g.Rand, "", types.ReturnValueNone, types.ReturnValueAllOld, types.ReturnValueAllNew)
	in.ExpressionAttributeNames, in.ExpressionAttributeValues = g.names, g.values
	return on(g.describe("UpdateItem", in.Key, in.UpdateExpression, in.ConditionExpression), in, store.API.UpdateItem, func(out *dynamodb.UpdateItemOutput) string { return spell(out.Attributes) })
}

func (g *generator) deleteItem() asked {
	in := dynamodb.DeleteItemInput{Key: g.key(), ConditionExpression: g.maybe(), ReturnValuesOnConditionCheckFailure: g.onFailure()}
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityIndexes
	in.ReturnValues = pick(g.Rand, "", types.ReturnValueNone, types.ReturnValueAllOld)
	in.ExpressionAttributeNames, in.ExpressionAttributeValues = g.names, g.values
	return on(g.describe("DeleteItem", in.Key, in.ConditionExpression), in, store.API.DeleteItem, func(out *dynamodb.DeleteItemOutput) string { return spell(out.Attributes) })
}

// projection returns a list of paths that do not overlap, or none.
func (g *generator) projection(from ...string) *string {
	if g.IntN(2) == 0 {
		return nil
	}
	var paths []string
	for _, name := range from {
		if g.IntN(2) == 0 {
			paths = append(paths, g.plain(name))
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return aws.String(strings.Join(paths, ", "))
}

func (g *generator) getItem() asked {
	in := dynamodb.GetItemInput{Key: g.key(), ConsistentRead: aws.Bool(g.IntN(2) == 0), ProjectionExpression: g.projection(attributes...), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal}
	in.ExpressionAttributeNames = g.names
	return on(g.describe("GetItem", in.Key, in.ProjectionExpression), in, store.API.GetItem, func(out *dynamodb.GetItemOutput) string {
		return spell(out.Item) + units(out.ConsumedCapacity)
	})
}

func units(c *types.ConsumedCapacity) string {
	if c == nil {
		return " no capacity"
	}
	return fmt.Sprintf(" %g units", aws.ToFloat64(c.CapacityUnits))
}

// sortCondition spells a condition for a sort key, or none.
func (g *generator) sortCondition(name string, v func() value) string {
	name = g.plain(name)
	switch g.IntN(7) {
	case 0:
		return ""
	case 1:
		return " AND " + name + " = " + g.literal(v())
	case 2:
		low, high := v(), v()
		if order, _ := dynamo.Compare(low, high); order > 0 {
			low, high = high, low
		}
		return " AND " + name + " BETWEEN " + g.literal(low) + " AND " + g.literal(high)
	}
	return " AND " + name + " " + pick(g.Rand, "<", "<=", ">", ">=") + " " + g.literal(v())
}

func (g *generator) query() asked {
	key := g.key()
	in := dynamodb.QueryInput{
		KeyConditionExpression: aws.String("PK = " + g.literal(key["PK"]) + g.sortCondition("SK", func() value { return g.key()["SK"] })),
		ConsistentRead:         aws.Bool(g.IntN(2) == 0),
		ProjectionExpression:   g.projection(attributes...),
	}
	return g.pages("Query", in, true)
}

func (g *generator) queryIndex() asked {
	in := dynamodb.QueryInput{IndexName: aws.String("some")}
	condition := "GP = " + g.literal(g.indexValue("GP"))
	if g.IntN(2) == 0 {
		condition += g.sortCondition("GS", func() value { return g.indexValue("GS") })
		in.ProjectionExpression = g.projection("PK", "SK", "GP", "GS", "xn", "xs")
	} else {
		in.IndexName = aws.String("full")
		condition += g.sortCondition("kn", g.number)
		in.ProjectionExpression = g.projection(attributes...)
	}
	in.KeyConditionExpression = &condition
	return g.pages("QueryIndex", in, false)
}

const pageBreak = "\n--\n"

// pages reads all pages of a query. Where equal sort keys are possible, their
// order is not compared, nor are pages.
func (g *generator) pages(operation string, in dynamodb.QueryInput, total bool) asked {
	if g.IntN(2) == 0 {
		in.FilterExpression = aws.String(g.condition(1))
	}
	in.ScanIndexForward = pick(g.Rand, nil, aws.Bool(true), aws.Bool(false))
	if g.IntN(2) == 0 {
		in.Limit = aws.Int32(int32(1 + g.IntN(4)))
	}
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	in.ExpressionAttributeNames, in.ExpressionAttributeValues = g.names, g.values
	return asked{g.describe(operation, nil, in.KeyConditionExpression, in.FilterExpression, in.ProjectionExpression), func(ctx context.Context, s side) string {
		in := in
		in.TableName = &s.table
		var pages []string
		var all []map[string]value
		var scanned int32
		for {
			out, err := s.Query(ctx, &in)
			if err != nil {
				return failure(err)
			}
			pages = append(pages, fmt.Sprintf("%d of %d%s, then %s:\n%s", out.Count, out.ScannedCount, units(out.ConsumedCapacity), spell(out.LastEvaluatedKey), spellAll(out.Items)))
			all, scanned = append(all, out.Items...), scanned+out.ScannedCount
			if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
				break
			}
		}
		if !total {
			return fmt.Sprintf("%d pages, %d scanned\n%s", len(pages), scanned, spellSet(all))
		}
		return strings.Join(pages, pageBreak)
	}}
}

func (g *generator) scan() asked {
	in := dynamodb.ScanInput{ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal, ProjectionExpression: g.projection("PK", "SK", "xn", "xs"), IndexName: pick(g.Rand, nil, nil, aws.String("some"), aws.String("full"))}
	if aws.ToString(in.IndexName) != "some" && g.IntN(2) == 0 { // engines differ on what the index lacks
		in.FilterExpression = aws.String(g.condition(1))
	}
	if in.IndexName == nil && g.IntN(2) == 0 {
		in.ConsistentRead = aws.Bool(true)
	}
	if g.IntN(2) == 0 {
		in.Limit = aws.Int32(int32(1 + g.IntN(5)))
	}
	segments := int32(1 + g.IntN(3))
	in.ExpressionAttributeNames, in.ExpressionAttributeValues = g.names, g.values
	return asked{g.describe("Scan", nil, in.FilterExpression, in.ProjectionExpression, in.IndexName), func(ctx context.Context, s side) string {
		in := in
		in.TableName = &s.table
		var all []map[string]value
		var scanned int32
		for segment := range segments {
			in.Segment, in.TotalSegments = &segment, &segments
			for {
				out, err := s.Scan(ctx, &in)
				if err != nil {
					return failure(err)
				}
				all, scanned = append(all, out.Items...), scanned+out.ScannedCount
				if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
					break
				}
			}
		}
		return fmt.Sprintf("%d scanned\n%s", scanned, spellSet(all))
	}}
}

func (g *generator) batchGet() asked {
	of := types.KeysAndAttributes{ConsistentRead: aws.Bool(g.IntN(2) == 0), ProjectionExpression: g.projection("PK", "SK", "xn", "xs")}
	seen := map[string]bool{}
	for range 1 + g.IntN(8) {
		key := g.key()
		if !seen[spell(key)] {
			of.Keys = append(of.Keys, key)
		}
		seen[spell(key)] = true
	}
	of.ExpressionAttributeNames = g.names
	return asked{"BatchGetItem " + spellAll(of.Keys), func(ctx context.Context, s side) string {
		out, err := s.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{s.table: of}, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal})
		if err != nil {
			return failure(err)
		}
		return spellSet(out.Responses[s.table]) + units(&out.ConsumedCapacity[0])
	}}
}

// transaction writes to some items, each with its own placeholders.
func transaction(r *rand.Rand) asked {
	type part func(table *string) types.TransactWriteItem
	var parts []part
	lines := []string{"TransactWriteItems"}
	seen := map[string]bool{}
	for range 1 + r.IntN(4) {
		g := newGenerator(r)
		it := g.item()
		key := item{"PK": it["PK"], "SK": it["SK"]}
		if seen[spell(key)] {
			continue
		}
		seen[spell(key)] = true
		var condition, update *string
		onFailure, kind := g.onFailure(), r.IntN(4)
		if kind != 1 && r.IntN(2) == 0 {
			condition = aws.String(g.condition(1))
		}
		switch kind {
		case 0:
			update = aws.String(g.update())
		case 1:
			condition = aws.String(g.condition(1))
		}
		names, values := g.names, g.values
		lines = append(lines, g.describe([]string{"update", "check", "delete", "put"}[kind], it, update, condition))
		parts = append(parts, func(table *string) types.TransactWriteItem {
			switch kind {
			case 0:
				return types.TransactWriteItem{Update: &types.Update{TableName: table, Key: key, UpdateExpression: update, ConditionExpression: condition, ExpressionAttributeNames: names, ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: onFailure}}
			case 1:
				return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: table, Key: key, ConditionExpression: condition, ExpressionAttributeNames: names, ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: onFailure}}
			case 2:
				return types.TransactWriteItem{Delete: &types.Delete{TableName: table, Key: key, ConditionExpression: condition, ExpressionAttributeNames: names, ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: onFailure}}
			default:
				return types.TransactWriteItem{Put: &types.Put{TableName: table, Item: it, ConditionExpression: condition, ExpressionAttributeNames: names, ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: onFailure}}
			}
		})
	}
	return asked{strings.Join(lines, "\n"), func(ctx context.Context, s side) string {
		in := &dynamodb.TransactWriteItemsInput{ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes}
		for _, p := range parts {
			in.TransactItems = append(in.TransactItems, p(&s.table))
		}
		return done(s.TransactWriteItems(ctx, in))
	}}
}
