package double

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/engine/dynamo"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/storetest"
)

// limited is a request at a limit, or with a mistake, and whether DynamoDB
// refuses it.
type limited struct {
	name    string
	refused bool
	// lax names an engine that is known not to notice: only the double and the embedded engine are asked.
	lax  string
	make asked
}

// TestLimits makes requests that are just right or just wrong.
func TestLimits(t *testing.T) {
	double, own, judge := sides(t)
	for _, c := range limits() {
		t.Run(c.name, func(t *testing.T) {
			got := c.make.make(t.Context(), double)
			refused := got == refusal
			testkit.Need(t, refused == c.refused, "the double: %s", got)
			testkit.Equal(t, c.make.make(t.Context(), own), got, "the double")
			if c.lax != judge.name {
				testkit.Equal(t, c.make.make(t.Context(), judge), got, "the double")
			}
		})
	}
}

const dynoxide = "dynoxide"

// limits are long but all alike.
func limits() []limited {
	var out []limited
	add := func(name string, refused bool, lax string, make asked) {
		out = append(out, limited{name, refused, lax, make})
	}
	// Operators. Dynoxide does not count them.
	add("299 operators", false, "", putIf(times(150, " OR ", "a# = :0"), bound(1)))
	add("301 operators", true, dynoxide, putIf(times(151, " OR ", "a# = :0"), bound(1)))
	add("299 operators with BETWEEN", false, "", putIf(times(150, " OR ", "a# BETWEEN :0 AND :1"), bound(2)))
	add("301 operators with BETWEEN", true, dynoxide, putIf(times(151, " OR ", "a# BETWEEN :0 AND :1"), bound(2)))
	add("301 operators with functions", true, dynoxide, putIf(times(151, " OR ", "attribute_exists(a#)"), nil))
	add("IN of 100", false, "", putIf("xn IN ("+times(100, ", ", ":#")+")", bound(100)))
	add("IN of 101", true, dynoxide, putIf("xn IN ("+times(101, ", ", ":#")+")", bound(101)))
	add("SET of 400", false, "", alter("SET "+times(400, ",", "a#=:0"), nil, bound(1)))
	add("REMOVE of 600", false, "", alter("REMOVE "+times(600, ", ", "a#"), nil, nil))
	add("4 KB", false, "", putIf("xn = :0"+strings.Repeat(" ", 4096-7), bound(1)))
	add("more than 4 KB", true, "", putIf("xn = :0"+strings.Repeat(" ", 4096-6), bound(1)))

	// Placeholders.
	add("unused name", true, "", alter("SET xn = :0", map[string]string{"#a": "a"}, bound(1)))
	add("unused value", true, "", alter("SET xn = :0", nil, bound(2)))
	add("undefined name", true, "", alter("SET #a = :0", nil, bound(1)))
	add("undefined value", true, "", alter("SET xn = :1", nil, bound(1)))
	add("names without an expression", true, "", getNamed(map[string]string{"#a": "a"}))

	// Syntax.
	add("nothing", true, "", putIf("", nil))
	add("half a condition", true, "", putIf("xn =", nil))
	add("unknown function", true, "", putIf("exists(xn)", nil))
	add("redundant parentheses", true, "", putIf("((xn = :0))", bound(1)))
	add("useful parentheses", false, "", putIf("((xn = :0) OR (xs = :0))", bound(1)))
	add("compared with itself", true, dynoxide, putIf("xn = xn", nil))
	add("SET twice", true, "", alter("SET xn = :0 SET xs = :0", nil, bound(1)))
	add("BETWEEN upside down", true, "", putIf("xn BETWEEN :1 AND :0", bound(2)))

	// What the store never says, and so only the double and the embedded engine refuse.
	for _, condition := range []string{"NOT xn = :0", "size(xn) = :0", "contains(xn, :0)", "xm.a = :0", "xm[0] = :0"} {
		add(condition, true, storetest.Judge(), putIf(condition, bound(1)))
	}
	for _, update := range []string{"SET xn = xn + :0", "SET xn = if_not_exists(xn, :0)", "SET xm.a = :0", "REMOVE xm[0]", "DELETE xn :0"} {
		add(update, true, storetest.Judge(), alter(update, nil, bound(1)))
	}
	add("a set", true, storetest.Judge(), put(with(key("a", "1"), "xss", &types.AttributeValueMemberSS{Value: []string{"a"}})))

	// Updates.
	add("the same path twice", true, "", alter("SET xn = :0, xn = :0", nil, bound(1)))
	add("two paths side by side", false, "", alter("SET xn = :0 REMOVE xs", nil, bound(1)))
	add("a key attribute", true, "", alter("SET SK = :0", nil, item{":0": str("2")}))
	add("ADD of a text", true, "", alter("ADD xs :0", nil, item{":0": str("a")}))
	add("an attribute that is not there", true, "", alter("SET xn = nowhere", nil, nil))
	add("an index key of another type", true, "", alter("SET kn = :0", nil, item{":0": str("a")}))
	add("an empty index key", true, "", alter("SET GP = :0", nil, item{":0": str("")}))

	// Items.
	add("an item of 400 KB", false, "", put(sized(400<<10)))
	add("an item of more", true, "", put(sized(400<<10+1)))
	add("an update to more", true, "", alter("SET xs = :0", nil, item{":0": str(strings.Repeat("x", 400<<10))}))
	add("an empty key", true, "", put(key("", "1")))
	add("a key of another type", true, "", put(item{"PK": num(1), "SK": str("1")}))
	add("no sort key", true, "", put(item{"PK": str("a")}))
	add("the longest keys", false, "", put(key(strings.Repeat("p", 2048), strings.Repeat("s", 1024))))
	add("a partition key that is too long", true, "", put(key(strings.Repeat("p", 2049), "1")))
	add("a sort key that is too long", true, "", put(key("a", strings.Repeat("s", 1025))))
	add("an index key of another type in an item", true, "", put(with(key("a", "1"), "GP", num(1))))
	add("an empty index key in an item", true, "", put(with(key("a", "1"), "GP", str(""))))
	add("an empty text", false, "", put(with(key("a", "1"), "xs", str(""))))
	add("38 digits", false, "", put(with(key("a", "1"), "xn", num(strings.Repeat("9", 38)))))
	add("39 digits", true, "", put(with(key("a", "1"), "xn", num(strings.Repeat("9", 39)))))
	add("no number", true, "", put(with(key("a", "1"), "xn", num("one"))))

	// Queries.
	add("without the partition key", true, "", ask(dynamodb.QueryInput{KeyConditionExpression: aws.String("SK = :0"), ExpressionAttributeValues: item{":0": str("1")}}))
	add("a range of partition keys", true, "", ask(dynamodb.QueryInput{KeyConditionExpression: aws.String("PK > :0"), ExpressionAttributeValues: item{":0": str("1")}}))
	add("OR of keys", true, "", ask(dynamodb.QueryInput{KeyConditionExpression: aws.String("PK = :0 OR SK = :0"), ExpressionAttributeValues: item{":0": str("1")}}))
	add("a filter on the key", true, "", ask(dynamodb.QueryInput{KeyConditionExpression: aws.String("PK = :0"), FilterExpression: aws.String("SK = :0"), ExpressionAttributeValues: item{":0": str("1")}}))
	add("a limit of 0", true, "", ask(dynamodb.QueryInput{KeyConditionExpression: aws.String("PK = :0"), Limit: aws.Int32(0), ExpressionAttributeValues: item{":0": str("1")}}))
	add("an index, consistent", true, "", ask(dynamodb.QueryInput{IndexName: aws.String("some"), ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("GP = :0"), ExpressionAttributeValues: item{":0": str("1")}}))
	add("an index that there is not", true, "", ask(dynamodb.QueryInput{IndexName: aws.String("none"), KeyConditionExpression: aws.String("GP = :0"), ExpressionAttributeValues: item{":0": str("1")}}))
	start := dynamodb.QueryInput{IndexName: aws.String("some"), KeyConditionExpression: aws.String("GP = :0"), ExpressionAttributeValues: item{":0": str("p")}}
	start.ExclusiveStartKey = with(with(key("made", "up"), "GP", str("p")), "GS", str("0"))
	add("a made-up start key", false, "", ask(start))
	start.ExclusiveStartKey = with(maps.Clone(start.ExclusiveStartKey), "GP", str("q"))
	add("a start key of another partition", true, dynoxide, ask(start))
	start.ExclusiveStartKey = key("made", "up")
	add("a start key of the table for an index", true, "", ask(start))

	// Batches and transactions.
	add("100 keys", false, "", batch(100, 0))
	add("101 keys", true, "", batch(101, 0))
	add("a key twice", true, "", batch(2, 1))
	add("100 writes at once", false, "", transactWrites(100, 0, 10))
	add("101 writes at once", true, "", transactWrites(101, 0, 10))
	add("two writes at once of an item", true, "", transactWrites(2, 1, 10))
	add("more than 4 MB at once", true, dynoxide, transactWrites(11, 0, 399<<10))
	return out
}

// times joins n copies of a text, with its number for #.
func times(n int, separator, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(format, "#", fmt.Sprint(i))
	}
	return strings.Join(parts, separator)
}

// bound returns n values :0, :1 …
func bound(n int) item {
	values := item{}
	for i := range n {
		values[fmt.Sprintf(":%d", i)] = num(i)
	}
	return values
}

func key(pk, sk string) item { return item{"PK": str(pk), "SK": str(sk)} }

// with alters and returns an item.
func with(it item, name string, v value) item {
	it[name] = v
	return it
}

// sized returns an item of a size in bytes.
func sized(size int) item {
	it := with(key("a", "1"), "xs", str(""))
	return with(it, "xs", str(strings.Repeat("x", size-dynamo.Size(it))))
}

func done[Out any](_ *Out, err error) string {
	if err != nil {
		return failure(err)
	}
	return "done"
}

// on makes a call that says of which table it is, and spells its answer.
func on[In, Out any](text string, in In, call func(store.API, context.Context, *In, ...func(*dynamodb.Options)) (*Out, error), spelled func(*Out) string) asked {
	return asked{text, func(ctx context.Context, s side) string {
		in := in
		reflect.ValueOf(&in).Elem().FieldByName("TableName").Set(reflect.ValueOf(&s.table))
		out, err := call(s.API, ctx, &in)
		if err != nil {
			return failure(err)
		}
		return spelled(out)
	}}
}

func isDone[Out any](out *Out) string { return done(out, nil) }

// putIf puts an item where there is none.
func putIf(condition string, values item) asked {
	return on(condition, dynamodb.PutItemInput{Item: key("nothing", "1"), ConditionExpression: &condition, ExpressionAttributeValues: values}, store.API.PutItem, isDone)
}

func put(it item) asked {
	return on("", dynamodb.PutItemInput{Item: it}, store.API.PutItem, isDone)
}

// alter updates an item that has a document, a number and a text.
func alter(expression string, names map[string]string, values item) asked {
	return asked{expression, func(ctx context.Context, s side) string {
		it := with(key("b", "1"), "xm", &document{Value: item{"a": num(1)}})
		if _, err := s.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.table, Item: with(with(it, "xn", num(1)), "xs", str("a"))}); err != nil {
			return failure(err)
		}
		return done(s.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: &s.table, Key: key("b", "1"), UpdateExpression: &expression, ExpressionAttributeNames: names, ExpressionAttributeValues: values}))
	}}
}

func getNamed(names map[string]string) asked {
	return on("", dynamodb.GetItemInput{Key: key("a", "1"), ExpressionAttributeNames: names}, store.API.GetItem, isDone)
}

func ask(in dynamodb.QueryInput) asked {
	return on("", in, store.API.Query, isDone)
}

// numbered returns the key of one of n items, the last ones of which are the same.
func numbered(i, n, same int) item { return key("n", fmt.Sprint(min(i, n-1-same))) }

func batch(n, same int) asked {
	return asked{"", func(ctx context.Context, s side) string {
		var of types.KeysAndAttributes
		for i := range n {
			of.Keys = append(of.Keys, numbered(i, n, same))
		}
		return done(s.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{s.table: of}}))
	}}
}

func transactWrites(n, same, size int) asked {
	return asked{"", func(ctx context.Context, s side) string {
		in := &dynamodb.TransactWriteItemsInput{}
		for i := range n {
			it := with(numbered(i, n, same), "xs", str(strings.Repeat("x", size)))
			in.TransactItems = append(in.TransactItems, types.TransactWriteItem{Put: &types.Put{TableName: &s.table, Item: it}})
		}
		return done(s.TransactWriteItems(ctx, in))
	}}
}
