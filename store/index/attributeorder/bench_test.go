package attributeorder_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/votes"
	"product-comments/store/index/attributeorder"
	"product-comments/store/key"
	"product-comments/store/settings/definitions"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// weighing adds up the write units of transactions, those for columns by themselves.
type weighing struct {
	store.API
	columns, transactions float64
}

func (w *weighing) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	out, err := w.API.TransactWriteItems(ctx, in, o...)
	if err != nil {
		return nil, err
	}
	w.transactions++
	for _, c := range out.ConsumedCapacity {
		if strings.HasSuffix(aws.ToString(c.TableName), table.ColumnsName("")) {
			w.columns += aws.ToFloat64(c.CapacityUnits)
		}
	}
	return out, nil
}

// BenchmarkColumns measures what columns cost: write units and transactions a comment,
// and read units of a page of 20, next to one by time, and next to entries of ids alone
// with a batch read of their comments. It counts as DynamoDB documents it.
func BenchmarkColumns(b *testing.B) {
	for _, c := range []struct{ attributes, values int }{{17, 10}, {400, 40}, {400, 400}} {
		b.Run(fmt.Sprintf("%d-attributes-%d-values", c.attributes, c.values), func(b *testing.B) {
			for b.Loop() {
				measure(b, c.attributes, c.values)
			}
		})
	}
}

func measure(b *testing.B, defined, values int) {
	ctx := b.Context()
	db := double.New(double.Options{})
	client := db.Client("bench")
	w := &weighing{API: client}
	s := store.New(w, "comments", store.Options{PlaceAge: -1, MetaAge: fresh})
	project := func() {
		b.Helper()
		testkit.Value(storetest.ProjectOnce(ctx, client, s.Projector()))(b)
	}
	testkit.Must(b, s.EnsureTable(ctx, true))
	project()
	testkit.Value(s.Attributes().Define(ctx, definitions.Change{Scope: definitions.Scope{Product: "42"}, Definitions: many(defined)}))(b)
	random := rand.New(rand.NewPCG(1, 2))
	text := strings.Repeat("The shoulder straps are wide and soft, and nothing rubs. ", 6)
	const comments = 40
	var all []store.Comment
	for i := range comments {
		all = append(all, store.Comment{
			ID: fmt.Sprintf("01JD00000000000000000%05d", i), ProductID: "42", Rating: 1 + i%5, Language: "en", Title: "Light, tough and good looking", Text: text,
			CreatedAt: time.Unix(int64(i), 0), Attributes: numbers(random, defined, values),
		})
	}
	step := func(name string, change func(*store.Comment)) {
		b.Helper()
		if change != nil {
			for i := range all {
				change(&all[i])
			}
			testkit.Value(s.Import(ctx, all))(b)
		}
		w.columns, w.transactions = 0, 0
		project()
		b.ReportMetric(w.columns/comments, name+"-units/comment")
		if name == "new" {
			b.ReportMetric(w.transactions/comments, "transactions/comment")
		}
	}
	step("new", func(*store.Comment) {})
	step("one-value", func(c *store.Comment) {
		var has map[string]int
		testkit.Must(b, json.Unmarshal(c.Attributes, &has))
		for name := range has {
			has[name] += 5
			break
		}
		c.Attributes = testkit.Value(json.Marshal(has))(b)
	})
	for _, c := range all {
		testkit.Value(s.Vote(ctx, c.ID, key.VoterOf("alice"), votes.Helpful, nil))(b)
	}
	step("vote", nil)
	step("title", func(c *store.Comment) { c.Title += "!" })

	page := table.Query{Partition: key.ColumnMissing("42", "k000"), Descending: true, Limit: 20}
	if 2*values > defined {
		page.Partition = key.ColumnValues("42", "k000")
	}
	entries := attributeorder.Rows{Rows: item.Rows{ProductID: "42"}, Values: 2*values > defined}
	read := testkit.Value(s.Projector().Table().QueryRows(ctx, page, item.Names, &entries))(b)
	testkit.Need(b, len(entries.Comments) == 20, "the page has %d comments", len(entries.Comments))
	n := float64(len(entries.Comments))
	b.ReportMetric(read.Units, "page-by-column-units")
	byTime, _, err := s.Projector().Table().Query(ctx, table.Query{Partition: key.PartitionAll("42"), Descending: true, Limit: 20})
	testkit.Must(b, err)
	ids, whole, bytes := 0, 0.0, 0
	for _, c := range entries.Comments {
		out := testkit.Value(client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("comments"), Key: table.Key(key.Comment(c.ID)), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal}))(b)
		whole += aws.ToFloat64(out.ConsumedCapacity.CapacityUnits)
		ids += len(c.ID) + 90 // a key with a value of an attribute, as in an index of ids
		bytes += c.Size
	}
	b.ReportMetric(20*(whole/n)+float64((20*ids/int(n)+8191)/8192)/2, "page-of-ids-and-batch-units")
	b.ReportMetric(float64(bytes)/n, "bytes/entry")
	size := 0
	for _, it := range byTime {
		for name, v := range it {
			size += table.Size(name, v)
		}
	}
	b.ReportMetric(float64((size+4095)/4096)/2, "page-by-time-units")
}
