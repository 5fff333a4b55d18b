package store_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// Comments that an earlier version wrote without a key get it, and are found
// through its index; the others are not written.
func TestBackfill(t *testing.T) {
	ctx := t.Context()
	client := storetest.Client(t)
	s := store.New(client, storetest.TableName(t), store.Options{})
	must(t, s.EnsureTable(ctx, true))
	list := []store.Comment{
		{ID: "a", ProductID: "42", Rating: 5, Language: "en", CreatedAt: time.Unix(1, 0).UTC()},
		{ID: "b", ProductID: "42", Rating: 4, Language: "en", CreatedAt: time.Unix(2, 0).UTC()},
	}
	importAll(t, s, list)
	name, remove := s.Table(), "REMOVE "+key.GSI2PK
	if _, err := client.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: &name, Key: table.Key(key.Comment("a")), UpdateExpression: &remove}); err != nil {
		t.Fatal(err)
	}
	inIndex := func() int {
		t.Helper()
		items, _, err := s.Projector().Table().Query(ctx, table.Query{Partition: key.PartitionByLang("42", "en")})
		must(t, err)
		return len(items)
	}
	if n := inIndex(); n != 1 {
		t.Fatalf("the index has %d comments before", n)
	}
	for _, want := range []int64{1, 0} {
		if n, err := s.Backfill(ctx, store.ScanOptions{}); err != nil || n != want {
			t.Errorf("wrote %d, %v, want %d", n, err, want)
		}
	}
	if n := inIndex(); n != 2 {
		t.Errorf("the index has %d comments", n)
	}
	if c, err := s.Get(ctx, "a"); err != nil || c.Version != 1 {
		t.Errorf("%+v, %v: it is the same comment", c, err)
	}
}
