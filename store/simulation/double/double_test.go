package double

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store/simulation/faults"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// bubble runs a test under the virtual clock, with a client of a new DB that
// has a table.
func bubble(t *testing.T, o Options, test func(t *testing.T, db *DB, c *Client)) {
	synctest.Test(t, func(t *testing.T) {
		db := New(o)
		c := db.Client("test")
		testkit.Value(c.CreateTable(t.Context(), definition("table")))(t)
		test(t, db, c)
	})
}

var tableName = aws.String("table")

func mustPut(t *testing.T, c *Client, it item) {
	t.Helper()
	testkit.Value(c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: tableName, Item: it}))(t)
}

func get(t *testing.T, c *Client, key item, consistent bool) item {
	t.Helper()
	return testkit.Value(c.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: tableName, Key: key, ConsistentRead: &consistent}))(t).Item
}

// TestLag changes an item often: eventually consistent reads and an index see
// some of it, late, but in order, and in the end everything.
func TestLag(t *testing.T) {
	bubble(t, Options{Seed: 3, IndexLag: time.Second}, func(t *testing.T, _ *DB, c *Client) {
		indexed := func() string {
			out := testkit.Value(c.Query(t.Context(), &dynamodb.QueryInput{
				TableName: tableName, IndexName: aws.String("some"),
				KeyConditionExpression: aws.String("GP = :p"), ExpressionAttributeValues: item{":p": str("p")},
			}))(t)
			if len(out.Items) == 0 {
				return "0"
			}
			return out.Items[0]["xn"].(*number).Value
		}
		late, lastRead, lastIndexed := 0, "0", "0"
		const n = 9
		for i := 1; i <= n; i++ {
			mustPut(t, c, with(with(with(key("a", "1"), "GP", str("p")), "GS", str("1")), "xn", num(i)))
			if got := get(t, c, key("a", "1"), true); spell(item{"xn": got["xn"]}) != fmt.Sprintf("{xn=%d}", i) {
				t.Fatalf("a consistent read sees %s", spell(got))
			}
			time.Sleep(300 * time.Millisecond)
			read := "0"
			if got := get(t, c, key("a", "1"), false); got != nil {
				read = got["xn"].(*number).Value
			}
			index := indexed()
			testkit.Check(t, read >= lastRead && index >= lastIndexed, "back from %s to %s, or from %s to %s", lastRead, read, lastIndexed, index)
			if lastRead, lastIndexed = read, index; index < fmt.Sprint(i) {
				late++
			}
		}
		testkit.Check(t, late != 0 && late != n, "%d of %d reads were late", late, n)
		time.Sleep(time.Second)
		got := get(t, c, key("a", "1"), false)
		testkit.Check(t, got["xn"].(*number).Value == fmt.Sprint(n) && indexed() == fmt.Sprint(n), "the last change does not show in time")
	})
}

// TestFaults meets every fault of a call that always fails so.
func TestFaults(t *testing.T) {
	const puts = 20
	for name, c := range map[string]struct {
		rates       faults.Rates
		codes       string // of the errors, all of which come; "-" for none from DynamoDB
		least, most int    // of the puts take effect
	}{
		"a throttled call":      {faults.Rates{Throttled: 1}, "ProvisionedThroughputExceededException ThrottlingException", 0, 0},
		"a conflict":            {faults.Rates{Conflict: 1}, "TransactionConflictException", 0, 0},
		"an internal error":     {faults.Rates{Internal: 1}, "InternalServerError", 1, puts - 1},
		"an unreachable server": {faults.Rates{Unreachable: 1}, "-", 0, 0},
		"a lost answer":         {faults.Rates{Lost: 1}, "-", puts, puts},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, Options{}, func(t *testing.T, db *DB, client *Client) {
				client.Set(c.rates)
				met := map[string]bool{}
				for i := range puts {
					_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: tableName, Item: key("a", fmt.Sprint(i))})
					var operation *smithy.OperationError
					testkit.Need(t, errors.As(err, &operation), "got %v", err)
					code := "-"
					if api := smithy.APIError(nil); errors.As(err, &api) {
						code = api.ErrorCode()
					}
					met[code] = true
				}
				codes := strings.Join(slices.Sorted(maps.Keys(met)), " ")
				testkit.Check(t, codes == c.codes && len(db.Items()) >= c.least && len(db.Items()) <= c.most, "%s, and then %d items", codes, len(db.Items()))
			})
		})
	}
}

// TestRepeated executes each call twice: a condition fails on its own effect,
// and a transaction does not, since the SDK gives it a token.
func TestRepeated(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, db *DB, c *Client) {
		c.Set(faults.Rates{Repeated: 1})
		absent := aws.String("attribute_not_exists(PK)")
		var failed *types.ConditionalCheckFailedException
		_, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: tableName, Item: key("a", "1"), ConditionExpression: absent})
		testkit.Check(t, errors.As(err, &failed), "a put: %v", err)
		if _, err := c.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			{Put: &types.Put{TableName: tableName, Item: key("a", "2"), ConditionExpression: absent}},
		}}); err != nil {
			t.Errorf("a transaction: %v", err)
		}
		testkit.Equal(t, len(db.Items()), 2, "items")
	})
}

// TestToken repeats a transaction by its token: within ten minutes it has one
// effect, and cannot stand for another one.
func TestToken(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, db *DB, c *Client) {
		add := func(by int) error {
			_, err := c.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{ClientRequestToken: aws.String("token"), TransactItems: []types.TransactWriteItem{
				{Update: &types.Update{TableName: tableName, Key: key("a", "1"), UpdateExpression: aws.String("ADD xn :n"), ExpressionAttributeValues: item{":n": num(by)}}},
			}})
			return err
		}
		var mismatch *types.IdempotentParameterMismatchException
		testkit.Must(t, errors.Join(add(1), add(1)))
		err := add(2)
		testkit.Check(t, errors.As(err, &mismatch), "another transaction: %v", err)
		time.Sleep(10 * time.Minute)
		testkit.Must(t, add(1))
		testkit.Equal(t, spell(db.Items()[0]), `{PK="a" SK="1" xn=2}`, "the item")
	})
}

// TestPartialBatch repeats the rest of batches until nothing is.
func TestPartialBatch(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, db *DB, c *Client) {
		c.Set(faults.Rates{PartialBatch: 1})
		var keys []map[string]value
		for i := range 20 {
			keys = append(keys, key("a", fmt.Sprint(i)))
			testkit.Value(c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("table"), Item: keys[i]}))(t)
		}
		calls := 0
		var got []map[string]value
		for of := (types.KeysAndAttributes{Keys: keys, ConsistentRead: aws.Bool(true)}); len(of.Keys) > 0; calls++ {
			out := testkit.Value(c.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"table": of}}))(t)
			got, of = append(got, out.Responses["table"]...), out.UnprocessedKeys["table"]
		}
		testkit.Check(t, spellSet(got) == spellSet(keys) && len(db.Items()) == len(keys) && calls >= 2, "%d items got, %d there, %d calls", len(got), len(db.Items()), calls)
	})
}

// TestKill ends a process in the middle of a call.
func TestKill(t *testing.T) {
	effects := map[int]bool{}
	for seed := range uint64(20) {
		bubble(t, Options{Seed: seed}, func(t *testing.T, db *DB, c *Client) {
			c.Set(faults.Rates{Latency: time.Second})
			ended := make(chan error, 1)
			go func() {
				_, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: tableName, Item: key("a", "1")})
				ended <- err
			}()
			time.Sleep(200 * time.Millisecond)
			synctest.Wait()
			select {
			case <-ended:
				return // it was faster
			default:
			}
			at := time.Now()
			c.Kill()
			err := <-ended
			testkit.Check(t, err != nil && time.Since(at) <= 0, "the call ends with %v after %v", err, time.Since(at))
			before := len(db.Items())
			effects[before] = true
			_, err = c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: tableName, Item: key("a", "2")})
			testkit.Check(t, err != nil && len(db.Items()) == before, "a dead process writes: %v", err)
			testkit.Check(t, get(t, db.Client("other"), key("a", "2"), true) == nil, "it is there")
		})
	}
	testkit.Equal(t, len(effects), 2, "the calls under way always have the same effect: %v", effects)
}

// TestDeadline ends a call with its context.
func TestDeadline(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, _ *DB, c *Client) {
		c.Set(faults.Rates{Latency: time.Hour})
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		at := time.Now()
		_, err := c.GetItem(ctx, &dynamodb.GetItemInput{TableName: tableName, Key: key("a", "1")})
		testkit.Check(t, errors.Is(err, context.DeadlineExceeded) && time.Since(at) == time.Millisecond, "%v after %v", err, time.Since(at))
	})
}

// TestRepeatable runs the same history twice, by goroutines that start in
// another order: every call has the same fate.
func TestRepeatable(t *testing.T) {
	run := func(reverse bool) (fates []string) {
		bubble(t, Options{Seed: 7, IndexLag: time.Second}, func(t *testing.T, db *DB, c *Client) {
			c.Set(faults.Rates{Throttled: 0.2, Lost: 0.2, Repeated: 0.2, Conflict: 0.2, Latency: 50 * time.Millisecond})
			begin := time.Now()
			order := []int{0, 1, 2, 3, 4, 5, 6, 7}
			if reverse {
				slices.Reverse(order)
			}
			fates = make([]string, len(order))
			var all sync.WaitGroup
			for _, i := range order {
				all.Go(func() {
					for range 10 {
						_, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: tableName, Item: with(key(fmt.Sprint(i), "1"), "xn", num(i))})
						fates[i] += fmt.Sprintln(time.Since(begin), err)
					}
				})
			}
			all.Wait()
			fates = append(fates, spellSet(db.Items()))
		})
		return fates
	}
	first := run(false)
	second := run(true)
	testkit.Check(t, slices.Equal(first, second), "first\n%s\nthen\n%s", strings.Join(first, "\n"), strings.Join(second, "\n"))
}
