package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
	"product-comments/store/table"
)

// numbered is the number of comments of the product with page numbers.
const numbered = 200_000

// byNumber are the first pages of the measured ranges, each with samples pages.
var byNumber = []int{1, 50, 500, 5000}

// samples is the number of pages in a median.
const samples = 15

// measureNumbers measures pages by their number, by a cursor, and by reading and skipping
// (OFFSET) on the engine itself. All three must show the same comments.
func measureNumbers(ctx context.Context, b *bench) error {
	set := newSet("numbered", newComments("n", productID, b.flags.scaled(numbered)), 1)
	t, err := b.fill(ctx, set)
	if err != nil {
		return err
	}
	s, err := b.startService(ctx, "this", t.name, b.flags.Flags...)
	if err != nil {
		return err
	}
	b.line("Pages of one product of %d comments by number, by cursor, and by reading and skipping on the engine itself; one client, medians of %d pages:", len(set.products[0].comments), samples)
	b.columns("from page | number ms | cursor ms | skipping ms | skipping by number | number, read units | cursor | skipping | number, round trips | skipping")
	query := numberedQuery(anyPage, "")
	for _, from := range byNumber {
		from = max(1, b.flags.scaled(from))
		reportProgress("pages by number: from page %d", from)
		var took [3][]float64
		var last [3]measured
		for n := from; n < from+samples; n++ {
			if last[0], err = s.numbered(ctx, query, asking{page: n}); err != nil {
				return fmt.Errorf("page %d: %w", n, err)
			}
			// The page by cursor is the next one, because the cursor belongs to this page's last
			// comment.
			if last[1], err = s.numbered(ctx, query, asking{after: last[0].end}); err != nil {
				return fmt.Errorf("the page after page %d by cursor: %w", n, err)
			}
			if last[2], err = b.skip(ctx, t.name, (n-1)*pageSize); err != nil {
				return fmt.Errorf("page %d by skipping: %w", n, err)
			}
			if !slices.Equal(last[0].ids, last[2].ids) {
				return fmt.Errorf("page %d has %v by number and %v by skipping", n, last[0].ids, last[2].ids)
			}
			for i, m := range last {
				took[i] = append(took[i], m.milliseconds)
			}
		}
		number, cursor, skipping := median(took[0]), median(took[1]), median(took[2])
		b.row("%d | %.2f | %.2f | %.2f | %.1f | %.1f | %.1f | %.1f | %d | %d", from, number, cursor, skipping,
			skipping/number,
			last[0].units, last[1].units, last[2].units, last[0].trips, last[2].trips)
	}
	b.end()
	return b.measureKinds(ctx, s, len(set.products[0].comments))
}

// measured is a page with its cost.
type measured struct {
	ids          []string
	end          string // its endCursor
	milliseconds float64
	units        float64
	trips        int // round trips to the table
}

// numberedQuery returns a query for a page with arguments, and additional fields.
func numberedQuery(arguments, fields string) string {
	return `query Page($product: ID!, $page: Int, $after: String, $around: ID) { product(id: $product) {
	comments(first: 20, ` + arguments + `) { nodes { commentId } pageInfo { endCursor } ` + fields + ` } } }`
}

// asking selects a page: by number, or by a cursor or a comment if set.
type asking struct {
	page          int
	after, around string
}

// numbered requests a page.
func (s *server) numbered(ctx context.Context, query string, a asking) (m measured, err error) {
	variables := map[string]any{"product": productID}
	switch {
	case a.after != "":
		variables["after"] = a.after
	case a.around != "":
		variables["around"] = a.around
	default:
		variables["page"] = a.page
	}
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return m, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.addr+"/graphql", bytes.NewReader(body))
	if err != nil {
		return m, err
	}
	r.Header.Set("Content-Type", "application/json")
	began := time.Now()
	p, err := s.send(ctx, r)
	m.milliseconds = milliseconds(time.Since(began))
	m.end, m.units, m.trips = p.PageInfo.EndCursor, p.units, p.trips
	for _, c := range p.Comments {
		m.ids = append(m.ids, c.CommentID)
	}
	return m, err
}

const (
	anyPage   = "page: $page, after: $after, around: $around"
	aroundIt  = "offset pageCursors { first { cursor } around { cursor page } last { cursor page } }"
	someOfAll = `, language: "en", ratings: [2, 4, 5]`
)

// numberedKinds are the queries whose costs are compared, the first one with each other one.
var numberedKinds = []struct {
	what, arguments, fields string
	by                      func(asking) asking // the argument that the query takes
}{
	{"by cursor", "", "", byCursor},
	{"by cursor, with offset and pageCursors", "", aroundIt, byCursor},
	{"by number", "", "", byPage},
	{"by number, with offset and pageCursors", "", aroundIt, byPage},
	{"by number, by rating", ", orderBy: {field: RATING, direction: DESC}", "", byPage},
	{"around a comment", "", "offset", func(a asking) asking { return asking{around: a.around} }},
	{"by cursor, a language and three ratings", someOfAll, "", byCursor},
	{"by number, a language and three ratings", someOfAll, "", byPage},
}

func byCursor(a asking) asking { return asking{after: a.after} }
func byPage(a asking) asking   { return asking{page: a.page} }

// measureKinds measures the cost of pages in the middle of the product.
func (b *bench) measureKinds(ctx context.Context, s *server, comments int) error {
	b.line("The same product, pages from its middle on; averages of %d:", samples)
	b.columns("page | read units | round trips, at most")
	for _, kind := range numberedKinds {
		var units float64
		trips := 0
		for n := comments / 2 / pageSize; n < comments/2/pageSize+samples; n++ {
			at, err := s.numbered(ctx, numberedQuery(anyPage+kind.arguments, ""), asking{page: max(1, n/4)})
			if err != nil {
				return err
			}
			m, err := s.numbered(ctx, numberedQuery(anyPage+kind.arguments, kind.fields), kind.by(asking{max(1, n/4) + 1, at.end, at.ids[0]}))
			if err != nil {
				return fmt.Errorf("%s: %w", kind.what, err)
			}
			units, trips = units+m.units/samples, max(trips, m.trips)
		}
		b.row("%s | %.2f | %d", kind.what, units, trips)
	}
	b.end()
	return nil
}

// skip reads a page directly from the engine after skipping a number of the product's newest
// comments: it counts them, which transfers no data, and reads the page after them.
func (b *bench) skip(ctx context.Context, name string, comments int) (m measured, err error) {
	in := &dynamodb.QueryInput{
		TableName: &name, IndexName: &key.All.Name, ScanIndexForward: aws.Bool(false),
		KeyConditionExpression:    aws.String(key.All.PartitionKey + " = :product"),
		ExpressionAttributeValues: table.Item{":product": table.S(key.PartitionAll(productID).Value)},
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityTotal,
	}
	query := func(limit int, what types.Select) (out *dynamodb.QueryOutput, err error) {
		in.Limit, in.Select = aws.Int32(int32(limit)), what
		if out, err = b.engine.Query(ctx, in); err == nil {
			m.units += aws.ToFloat64(out.ConsumedCapacity.CapacityUnits)
			m.trips++
			in.ExclusiveStartKey = out.LastEvaluatedKey
		}
		return out, err
	}
	began := time.Now()
	for left := comments; left > 0; {
		out, err := query(left, types.SelectCount)
		if err != nil {
			return m, err
		}
		if left -= int(out.Count); out.LastEvaluatedKey == nil {
			break
		}
	}
	out, err := query(pageSize, types.SelectAllProjectedAttributes)
	m.milliseconds = milliseconds(time.Since(began))
	if err != nil {
		return m, err
	}
	for _, it := range out.Items {
		id, _ := key.CommentID(table.Text(it, key.PK))
		m.ids = append(m.ids, id)
	}
	return m, nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
