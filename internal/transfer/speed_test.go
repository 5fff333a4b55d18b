package transfer

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/storetest"
)

// BenchmarkImport compares an import with the least that any import must do:
// one loop that puts the same items with BatchWriteItem, 25 at a time. They
// take turns in going first, since an engine may slow down as it fills. Run it
// an even number of times:
//
//	go test -run '^$' -bench Import -benchtime 4x ./internal/transfer
func BenchmarkImport(b *testing.B) {
	const n = 2500
	var file bytes.Buffer
	for i := range n {
		fmt.Fprintf(&file, `{"productId":"p-%d","commentId":"c-%06d","rating":%d,"language":"en","createdAt":"2026-01-%02dT12:00:00Z",`+
			`"author":"Ann","title":"A title of some words","text":"%s","attributes":{"seat":"12A","score":3.0}}`+"\n",
			i%7, i, i%5+1, i%28+1, strings.Repeat("Twenty characters. ", 15+i%10))
	}
	client := storetest.Client(b)
	ours := func() (string, time.Duration) {
		st := newStore(b)
		began := time.Now()
		sum, err := Import(b.Context(), st, []string{stdin}, Options{Stdin: bytes.NewReader(file.Bytes())})
		if err != nil || sum.Written != n {
			b.Fatal(sum, err)
		}
		return st.Table(), time.Since(began)
	}
	table, _ := ours()
	items := scan(b, client, table)
	plain := func() time.Duration {
		table := newStore(b).Table()
		began := time.Now()
		for batch := range slices.Chunk(items, 25) {
			if _, err := client.BatchWriteItem(b.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: batch}}); err != nil {
				b.Fatal(err)
			}
		}
		return time.Since(began)
	}
	var took, tookPlain time.Duration
	for i := 0; b.Loop(); i++ {
		if i%2 == 1 {
			tookPlain += plain()
		}
		_, t := ours()
		took += t
		if i%2 == 0 {
			tookPlain += plain()
		}
	}
	written := float64(n * b.N)
	b.ReportMetric(written/took.Seconds(), "lines/s")
	b.ReportMetric(written/tookPlain.Seconds(), "plain/s")
	b.ReportMetric(tookPlain.Seconds()/took.Seconds(), "ratio")
}

// scan returns what puts every item of a table.
func scan(t testing.TB, client *dynamodb.Client, table string) []types.WriteRequest {
	t.Helper()
	var puts []types.WriteRequest
	pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: aws.String(table)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: it}})
		}
	}
	return puts
}
