package store_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/plan"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// Comments that an earlier version wrote without a key get it, and are found
// through its index; the others are not written.
func TestBackfill(t *testing.T) {
	ctx := t.Context()
	client := storetest.Client(t)
	s := store.New(client, storetest.TableName(t), store.Options{})
	if err := s.EnsureTable(ctx, true); err != nil {
		t.Fatal(err)
	}
	list := []store.Comment{
		{ID: "a", ProductID: "42", Rating: 5, Language: "en", CreatedAt: time.Unix(1, 0).UTC()},
		{ID: "b", ProductID: "42", Rating: 4, Language: "en", CreatedAt: time.Unix(2, 0).UTC()},
	}
	if _, err := s.Import(ctx, list); err != nil {
		t.Fatal(err)
	}
	name, remove := s.Table(), "REMOVE "+key.GSI2PK
	if _, err := client.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: &name, Key: table.Key(key.Comment("a")), UpdateExpression: &remove}); err != nil {
		t.Fatal(err)
	}
	inIndex := func() int {
		t.Helper()
		items, _, err := s.Projector().Table().Query(ctx, table.Query{Partition: key.PartitionByLang("42", "en")})
		if err != nil {
			t.Fatal(err)
		}
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

// A version before wrote verifiedPurchase under its long name, in no index: such a
// comment is read as it is, has the new form after any write, and is found by filters
// once it was completed.
func TestBackfillOfPurchases(t *testing.T) {
	ctx := t.Context()
	client := storetest.Client(t)
	s := store.New(client, storetest.TableName(t), store.Options{})
	if err := s.EnsureTable(ctx, true); err != nil {
		t.Fatal(err)
	}
	yes, name := true, s.Table()
	var list []store.Comment
	for i, id := range []string{"a", "b", "c"} {
		list = append(list, store.Comment{ID: id, ProductID: "42", Rating: 5, Language: "en", CreatedAt: time.Unix(int64(i), 0).UTC(), VerifiedPurchase: &yes})
	}
	if _, err := s.Import(ctx, list); err != nil {
		t.Fatal(err)
	}
	older := "SET verifiedPurchase = vp REMOVE vp"
	for _, c := range list {
		if _, err := client.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: &name, Key: table.Key(key.Comment(c.ID)), UpdateExpression: &older}); err != nil {
			t.Fatal(err)
		}
	}
	shows := func(want int) {
		t.Helper()
		page, err := s.Page(ctx, plan.Filter{ProductID: "42", VerifiedOnly: true}, store.Window{Limit: 10})
		if err != nil || len(page.Items) != want {
			t.Errorf("%d comments, %v, want %d", len(page.Items), err, want)
		}
	}
	for _, c := range list {
		if got, err := s.Get(ctx, c.ID); err != nil || !got.IsVerified() {
			t.Errorf("%+v, %v: it is not verified any more", got, err)
		}
	}
	shows(0)
	title := "Another"
	if _, err := s.Update(ctx, store.Change{ID: "a", Title: &title}); err != nil { // an edit completes it, too
		t.Fatal(err)
	}
	list[1].VerifiedPurchase, list[1].Title = nil, title
	if _, err := s.Import(ctx, list[1:2]); err != nil { // as does an import, here one that does not know any more
		t.Fatal(err)
	}
	shows(1)
	if n, err := s.Backfill(ctx, store.ScanOptions{}); err != nil || n != 1 {
		t.Errorf("wrote %d, %v, want 1", n, err)
	}
	shows(2)
	if got, err := s.Get(ctx, "b"); err != nil || got.VerifiedPurchase != nil {
		t.Errorf("%+v, %v: what the import took away is back", got, err)
	}
}
