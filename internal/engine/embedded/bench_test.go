package embedded_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/engine/embedded"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	comment "product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// counted are rows that are counted.
type counted struct{ items int }

func (c *counted) Expect(int)                                           {}
func (c *counted) Attribute(name string, kind byte, value string) error { return nil }
func (c *counted) EndItem() error                                       { c.items++; return nil }

// BenchmarkQuery reads a page of 21 comments of some 400 bytes from an index, into rows and into the
// SDK's items, on all processors.
func BenchmarkQuery(b *testing.B) {
	e := testkit.Value(embedded.Open(b.Context(), embedded.Options{DataDir: b.TempDir()}))(b)
	defer e.Close()
	s := store.New(e, "comments", store.Options{PlaceAge: -1})
	testkit.Must(b, s.EnsureTable(b.Context(), true))
	var list []store.Comment
	for i := range 2000 {
		list = append(list, store.Comment{ID: fmt.Sprint("c", i), ProductID: "42", Language: "en", Rating: 1 + i%5, Title: "A title", Author: "Somebody", Text: strings.Repeat("word ", 40)})
	}
	testkit.Value(s.Import(b.Context(), list))(b)
	t := table.New(e, "comments", table.Options{})
	q := table.Query{Partition: key.PartitionAll("42"), Descending: true, Limit: 21}
	b.Run("rows", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				rows := &counted{}
				_, err := t.QueryRows(b.Context(), q, comment.Names, rows)
				testkit.Check(b, err == nil && rows.items == 21, "%d rows, %v", rows.items, err)
			}
		})
	})
	b.Run("filtered rows", func(b *testing.B) {
		b.ReportAllocs()
		some := q
		some.Filter, some.Limit, some.Values = "rating IN (:a, :b, :c, :d)", 26, table.Item{":a": table.N(1), ":b": table.N(2), ":c": table.N(4), ":d": table.N(5)}
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				rows := &counted{}
				_, err := t.QueryRows(b.Context(), some, comment.Names, rows)
				testkit.Check(b, err == nil && rows.items > 19, "%d rows, %v", rows.items, err)
			}
		})
	})
	b.Run("items", func(b *testing.B) {
		b.ReportAllocs()
		in := &dynamodb.QueryInput{
			TableName: aws.String("comments"), IndexName: aws.String(key.All.Name), KeyConditionExpression: aws.String("GSI4PK = :p"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":p": table.S(key.PartitionAll("42").Value)}, Limit: aws.Int32(21),
		}
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				out, err := e.Query(b.Context(), in)
				testkit.Check(b, err == nil && len(out.Items) == 21, "%d items, %v", len(out.Items), err)
			}
		})
	})
}
