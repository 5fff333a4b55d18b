package store_test

import (
	"testing"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Comments that an earlier version wrote without a key get it, and are found
// through its index; the others are not written.
func TestBackfill(t *testing.T) {
	ctx := t.Context()
	s := storeWith(t, store.Options{})
	importAll(t, s, []store.Comment{saying("a", 1), saying("b", 2)})
	damage(t, s, table.Write{Key: table.Key(key.Comment("a")), Update: "REMOVE " + key.GSI2PK})
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
	if c := get(t, s, "a"); c.Version != 1 {
		t.Errorf("%+v: it is the same comment", c)
	}
}
