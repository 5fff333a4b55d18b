package transfer

import (
	"bytes"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/storetest"
)

// A person's export has the photos of their comments, and those that no comment has taken.
func TestPhotosOfAPerson(t *testing.T) {
	s := store.New(storetest.Client(t), storetest.TableName(t), store.Options{})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	for n := range 2 {
		testkit.Must(t, s.UploadedPhoto(t.Context(), store.Photo{ID: storetest.PhotoID(n), Width: 3, Height: 4}, "alice"))
	}
	c := testkit.Value(s.Create(t.Context(), store.NewComment{ProductID: "42", Rating: 4, Language: "en", Owner: "alice", By: "alice", Photos: []store.Photo{{ID: storetest.PhotoID(0)}}}))(t)
	var out bytes.Buffer
	found := testkit.Value(ExportPerson(t.Context(), s, "alice", store.ScanOptions{}, &out))(t)
	testkit.Check(t, found[store.TracePhoto] == 1 && found[store.TraceComment] == 1, "%v", found)
	for _, want := range []string{
		`{"kind":"photo","photoId":"` + storetest.PhotoID(1) + `"}`,
		`"commentId":"` + c.ID + `"`, `"photos":[{"id":"` + storetest.PhotoID(0) + `","width":3,"height":4}]`,
	} {
		testkit.Check(t, bytes.Contains(out.Bytes(), []byte(want)), "%s lacks %s", out.String(), want)
	}
}
