package store_test

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/plan"
	"product-comments/store/settings"
	"product-comments/store/storetest"
	"product-comments/store/stream"
	"product-comments/store/verify"
)

// quick is a store that is sooner sure that others know what it knows.
func quick(t testing.TB, c *clock) *store.Store {
	t.Helper()
	timeout := 3 * time.Second
	if os.Getenv("TEST_ENGINE") != "" { // other engines are slower
		timeout = 15 * time.Second
	}
	s := store.New(storetest.Client(t), storetest.TableName(t), store.Options{CallTimeout: timeout, MetaAge: 20 * time.Millisecond, Now: c.now, PlaceAge: -1})
	must(t, s.EnsureTable(t.Context(), true))
	return s
}

// projecting projects all the time until stop is called.
func projecting(t testing.TB, s *store.Store) (stop func()) {
	_, stop = storetest.Consume(t, s.Projector(), stream.Options{})
	return stop
}

// copies counts the copies in the table.
func copies(t testing.TB, s *store.Store) int {
	t.Helper()
	n := 0
	in := &dynamodb.ScanInput{TableName: aws.String(s.Table()), FilterExpression: aws.String("attribute_exists(#auto)"), ExpressionAttributeNames: map[string]string{"#auto": "auto"}}
	for {
		out, err := storetest.Client(t).Scan(t.Context(), in)
		must(t, err)
		n += len(out.Items)
		if len(out.LastEvaluatedKey) == 0 {
			return n
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// A product with a power set: each filter of several ratings is one query, and
// pages are the same, while comments are written, and after it is switched on
// and off again.
func TestPowerSet(t *testing.T) {
	t.Parallel()
	r := testkit.Random(t)
	var c clock
	s := quick(t, &c)
	m := shop{}
	project(t, s)
	for range 25 {
		m.change(t, r, s)
	}
	project(t, s)
	stop := projecting(t, s)
	on := make(chan error, 1)
	go func() { on <- s.PowerSets().On(t.Context(), "1", nil) }()
	for range 15 {
		m.change(t, r, s)
	}
	must(t, <-on)
	for range 15 {
		m.change(t, r, s)
	}
	stop()
	project(t, s)
	c.advance(time.Minute) // this server reads its own writes from the indexes first
	m.check(t, s)
	verified(t, s, m)
	m.pages(t, s, "1", true)
	of1 := 0
	for _, c := range m {
		if c.ProductID == "1" {
			of1++
		}
	}
	if n := copies(t, s); n != 32*of1 {
		t.Errorf("%d copies of %d comments", n, of1)
	}

	stop = projecting(t, s)
	off := make(chan error, 1)
	go func() { off <- s.PowerSets().Off(t.Context(), "1", nil) }()
	for range 15 {
		m.change(t, r, s)
	}
	must(t, <-off)
	stop()
	project(t, s)
	if n := copies(t, s); n != 0 {
		t.Errorf("%d copies are left", n)
	}
	c.advance(time.Minute)
	m.check(t, s)
	verified(t, s, m)
	m.pages(t, s, "1", false)
}

// pages compares the pages of every filter of a product with the model.
func (m shop) pages(t testing.TB, s *store.Store, product string, powerSet bool) {
	t.Helper()
	var list model
	for _, c := range m {
		if c.ProductID == product {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, newestFirst)
	for _, language := range []string{"", "en"} {
		for mask := range key.AllRatings + 1 {
			f := plan.Filter{ProductID: product, Languages: key.Languages(language), Ratings: mask.Canonical()}
			page := pageOf(t, s, f, store.Window{Limit: 5})
			want, more := list.filter(f).window(f.Order, store.Window{Limit: 5})
			if ids(page.Items) != ids(want) || page.HasNext != more {
				t.Errorf("%+v: got %s, want %s", f, ids(page.Items), ids(want))
			}
			for i := range page.Items {
				if page.Items[i].Text != want[i].Text || page.Items[i].Version != want[i].Version && want[i].Version != 0 {
					t.Errorf("%+v: got %+v, want %+v", f, page.Items[i], want[i])
				}
			}
			if powerSet && page.Cost.Queries > 1 {
				t.Errorf("%+v: %d queries", f, page.Cost.Queries)
			}
			if all, err := walk(t.Context(), s, f, 3, true); err != nil || ids(all) != ids(list.filter(f)) {
				t.Errorf("%+v: walked %s, want %s, %v", f, ids(all), ids(list.filter(f)), err)
			}
		}
	}
}

func verified(t testing.TB, s *store.Store, m shop) {
	t.Helper()
	found, err := verify.Run(t.Context(), s.Projector(), verify.Options{})
	if err != nil || found.State != settings.StateKept || len(found.Differences) > 0 || found.Comments != int64(len(m)) {
		t.Errorf("%d comments, verified %+v, %v", len(m), found, err)
	}
}

// Switching on and off goes on where it was stopped.
func TestPowerSetIsResumed(t *testing.T) {
	t.Parallel()
	var c clock
	s := quick(t, &c)
	m := shop{}
	var list []store.Comment
	for i, comment := range randomModel(testkit.Random(t), "1", 120) {
		comment.Language = []string{"en", "de"}[i%2]
		list = append(list, comment)
		m[comment.ID] = comment
	}
	importAll(t, s, list)
	project(t, s)
	ctx, stop := context.WithCancel(t.Context())
	seen := 0
	err := s.PowerSets().On(ctx, "1", func(n int) {
		if seen = n; n > 50 {
			stop()
		}
	})
	if err == nil || seen > 100 {
		t.Fatalf("it was not stopped: %d, %v", seen, err)
	}
	project(t, s)
	some := copies(t, s)
	stopProjecting := projecting(t, s)
	must(t, s.PowerSets().On(t.Context(), "1", func(n int) { seen = n }))
	stopProjecting()
	if some == 0 || seen >= 120 {
		t.Errorf("it started over: %d copies, then %d comments", some, seen)
	}
	verified(t, s, m)
	if n := copies(t, s); n != 120*32 {
		t.Errorf("%d copies", n)
	}
	ctx, stop = context.WithCancel(t.Context())
	err = s.PowerSets().Off(ctx, "1", func(n int) {
		if n > 50 {
			stop()
		}
	})
	if left := copies(t, s); err == nil || left == 0 {
		t.Fatalf("it was not stopped: %d left, %v", left, err)
	}
	wantCode(t, s.PowerSets().On(t.Context(), "1", nil), "CONFLICT")
	must(t, s.PowerSets().Off(t.Context(), "1", nil))
	if n := copies(t, s); n != 0 {
		t.Errorf("%d copies are left", n)
	}
	verified(t, s, m)
}

// What does not agree with the comments is found and named.
func TestVerifyFindsDifferences(t *testing.T) {
	t.Parallel()
	var c clock
	s := quick(t, &c)
	client := storetest.Client(t)
	m := shop{}
	r := testkit.Random(t)
	for len(m) < 20 {
		m.change(t, r, s)
	}
	made := mustCreate(t, s, store.NewComment{ProductID: "1", Rating: 5, Language: "en"})
	m[made.ID] = made
	project(t, s)
	stopProjecting := projecting(t, s)
	must(t, s.PowerSets().On(t.Context(), "1", nil))
	stopProjecting()
	verified(t, s, m)
	for name, sabotage := range map[string]*dynamodb.UpdateItemInput{
		"a count": {Key: statisticsKey("1", "S"), UpdateExpression: aws.String("SET count_2 = count_2 + :one, count_total = count_total + :one")},
		"a total": {Key: statisticsKey("1", "S"), UpdateExpression: aws.String("SET count_total = count_total + :one")},
		"a size":  {Key: statisticsKey("1", "S"), UpdateExpression: aws.String("SET bytes_5 = bytes_5 + :one")},
		"a limit": {Key: statisticsKey("1", "S#en"), UpdateExpression: aws.String("SET largest = :one")},
		"a rank":  {Key: statisticsKey("1", "S"), UpdateExpression: aws.String("REMOVE GSIPK ADD nothing :one")},
		"a ghost": {Key: statisticsKey("ghost", "S#en"), UpdateExpression: aws.String("SET count_1 = :one, count_total = :one, rev = :one")},
		"a copy":  {Key: copyKey(made, "PRODUCT#1/~/31"), UpdateExpression: aws.String("SET ver = if_not_exists(ver, :one) + :one")},
		"a stray": {Key: copyKey(made, "PRODUCT#2/en/16"), UpdateExpression: aws.String("SET ver = :one, rating = :one, lang = :en")},
	} {
		before, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(s.Table()), Key: sabotage.Key})
		must(t, err)
		sabotage.TableName = aws.String(s.Table())
		sabotage.ExpressionAttributeValues = map[string]types.AttributeValue{":one": &types.AttributeValueMemberN{Value: "1"}}
		if name == "a stray" {
			sabotage.ExpressionAttributeValues[":en"] = &types.AttributeValueMemberS{Value: "en"}
		}
		if _, err := client.UpdateItem(t.Context(), sabotage); err != nil {
			t.Fatal(name, err)
		}
		found, err := verify.Run(t.Context(), s.Projector(), verify.Options{})
		if err != nil || len(found.Differences) == 0 {
			t.Errorf("%s: found %+v, %v", name, found, err)
		}
		t.Log(name, found.Differences)
		if len(before.Item) == 0 {
			_, err = client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String(s.Table()), Key: sabotage.Key})
		} else {
			_, err = client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(s.Table()), Item: before.Item})
		}
		must(t, err)
	}
	verified(t, s, m)
}

func statisticsKey(product, sk string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: "PRODUCT#" + product}, "SK": &types.AttributeValueMemberS{Value: sk}}
}

func copyKey(c store.Comment, pk string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: pk}, "SK": &types.AttributeValueMemberS{Value: c.Position().SortKey()}}
}
